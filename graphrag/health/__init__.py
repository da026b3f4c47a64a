"""Whether a graph is sound, and what can be done where it is not.

The event log is the truth. A check writes nothing, and a repair only what needs no guessing.
"""
