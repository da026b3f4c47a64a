"""When two names are one: keys, likeness, identifiers."""
