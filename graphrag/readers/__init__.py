"""Readers: files and standard input as streams of episodes."""
