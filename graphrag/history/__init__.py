"""The past of a graph: what was done, undoing it, taking an episode out."""
