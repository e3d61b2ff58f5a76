"""What a run touches without order: races between pipes, copies, vector accesses, blocks."""
