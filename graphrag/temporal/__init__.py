"""Time: intervals, moments, and the English expressions that name them.

World time in the graph is a half-open interval (`interval`). A time passed by a caller becomes one
exact instant or an error (`moment`). A time in a text becomes a period with its precision, or
nothing (`phrase` for one expression, `find` for a whole text): a missing date is better than a
wrong one. All times are aware UTC.
"""
