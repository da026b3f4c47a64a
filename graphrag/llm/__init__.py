"""Language models: clients, cost and cache; no SDK is imported before a model is made."""
