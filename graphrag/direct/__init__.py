"""Facts and entities written as they are given, without any extraction."""
