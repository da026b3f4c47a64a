"""The community room."""
