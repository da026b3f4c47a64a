"""From an episode to mentions and claims: by rules, or by a language model."""
