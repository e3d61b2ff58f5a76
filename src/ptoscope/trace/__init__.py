"""What a run did, event by event: the one record that races, timing and views read."""
