"""Adapters to other frameworks: each takes an open graph and has the framework's own interface.

Nothing here is imported by the rest; each module needs its framework and names the extra if it is
not there.
"""
