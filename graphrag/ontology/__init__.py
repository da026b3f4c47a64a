"""Ontology: types of entities and facts as pydantic models, relations and standing rules."""
