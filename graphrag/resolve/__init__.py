"""Mentions to entities, and entities that may be one."""
