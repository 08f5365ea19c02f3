"""What only CONEX needs on the page and in the reports."""
