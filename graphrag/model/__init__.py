"""The stored values: frozen data classes with aware UTC times."""
