"""The in-process columns of one group: vectors, postings, edges and times as numpy arrays.

Rows are dense numbers from 0 in the order of arrival, shared by all columns, so that a filter is a
boolean mask and a filtered search stays exact. Everything here is pure and synchronous and knows
nothing of the database; whoever owns the columns keeps them equal to what was committed.
"""
