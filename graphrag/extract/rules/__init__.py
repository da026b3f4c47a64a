"""Mentions and claims by grammar: no language model."""
