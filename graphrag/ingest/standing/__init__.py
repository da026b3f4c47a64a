"""What follows from facts by standing rules: which facts they touch, and what becomes of them."""
