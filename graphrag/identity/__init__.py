"""Who is meant: the rules by which a mention is a known entity, and the look-alikes they leave."""
