"""Whether a graph is sound, and what can be done where it is not.

The event log is the truth: every table is compared with the replay of its images, every record with
the rules that the write path keeps, and the columns in memory with the tables. Nothing is written
by a check, and a repair writes only what can be worked out without guessing.
"""
