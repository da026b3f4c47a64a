"""What a graph says as a whole: facts by relation, sources that disagree, what leads nowhere."""
