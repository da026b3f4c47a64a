"""The in-process columns of one group: vectors, postings, edges and times as numpy arrays.

Rows are dense numbers from 0 in the order of arrival, shared by all columns, so that a filter is a
boolean mask: exact. The columns are pure and synchronous and know nothing of the database;
`catalog` owns them, reads them from the store, keeps them equal to what was committed, and lets
them go.
"""
