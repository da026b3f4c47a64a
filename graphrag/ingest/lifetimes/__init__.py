"""When facts hold, as a pure function of the statements that stand."""
