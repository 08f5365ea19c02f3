"""The deck that lies on this table, and laying another one."""
