"""A report of a fault: what goes into it, and the page that shows it before."""
