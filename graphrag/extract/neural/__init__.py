"""What a small trained network reads, beside the rules."""
