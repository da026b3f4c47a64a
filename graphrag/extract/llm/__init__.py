"""Mentions and claims by a language model: what it is asked, and what of its answer is believed."""
