"""Extraction of mentions and claims by rules, a small network or a language model."""
