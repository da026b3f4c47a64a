"""Time: intervals, moments, and the English expressions that name them.

World time in the graph is a half-open interval (`interval`). What a caller passes in becomes one
exact instant or an error (`moment`); what a text says becomes a period with its precision, or
nothing (`phrase` for one expression, `find` for all of a text), because a wrong date poisons a
temporal graph and a missing one is honest. Everything is aware UTC.
"""
