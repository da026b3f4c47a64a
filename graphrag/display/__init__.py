"""Display of results: as a page, a table or a data frame."""
