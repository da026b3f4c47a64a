"""Comparison of names: keys, similarity, identifiers."""
