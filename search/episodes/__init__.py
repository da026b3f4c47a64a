"""How episodes are ranked."""
