"""Names as people write them: how alike two are, and where look-alikes are kept together."""
