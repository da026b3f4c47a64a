"""What a graph may hold: types of entities and facts as pydantic models, and what breaks them."""
