"""Health of a graph: consistency checks and repairs.

The event log is authoritative. A check writes nothing, and a repair only fixes defects with one
possible repair.
"""
