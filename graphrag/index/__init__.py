"""The in-process columns of one group: vectors, postings, edges and times as numpy arrays.

Rows are dense numbers from 0 in the order of arrival, shared by all columns: a filter is a mask,
and exact. The columns know nothing of the database; `catalog` reads them and keeps them up to date.
"""
