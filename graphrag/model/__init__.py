"""What is stored: frozen values with aware UTC times."""
