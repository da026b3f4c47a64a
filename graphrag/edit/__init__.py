"""What a person changes by hand: which statements stand, and who is one."""
