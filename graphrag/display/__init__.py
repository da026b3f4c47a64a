"""What people look at: results as a page, a table, a data frame."""
