"""What happens at this table, in one thread: frames and requests come in, the log is written, snapshots go out."""
