"""Exact answers from facts without a model: questions are parsed into queries and evaluated."""
