"""The write path: intake, plan, judge, commit; one transaction for each episode."""
