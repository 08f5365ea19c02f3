"""The match log on disk: events, the pictures that prove them, and what goes in and out as a file."""
