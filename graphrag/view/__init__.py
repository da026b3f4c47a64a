"""Reads of one group from one viewpoint."""
