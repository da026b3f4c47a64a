"""Moving whole stores between places and index profiles."""
