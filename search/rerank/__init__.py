"""Rerankers: frozen values that a recipe carries, each a way to order what was found anew."""
