"""The temporal room."""
