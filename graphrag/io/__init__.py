"""Everything that enters or leaves in a format: tables, contacts, calendars, documents, graphs."""
