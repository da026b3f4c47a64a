"""Sagas (named sequences of episodes): their order, their contents and their summaries."""
