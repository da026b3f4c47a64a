"""Doors to other frameworks: each takes an open graph, and shows it as what the framework knows.

Nothing here is imported by the rest; each module needs its framework and names the extra if it is
not there.
"""
