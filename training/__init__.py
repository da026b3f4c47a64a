"""Training of the network of graphrag.extract.neural: annotated texts to the files it loads."""
