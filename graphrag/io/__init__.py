"""Import and export: tables, contacts, calendars, documents, networks, whole groups."""
