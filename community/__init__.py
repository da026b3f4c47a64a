"""Clusters of entities above the facts: detected, named, described."""
