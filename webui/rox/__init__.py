"""What only Rox needs on the page and in the reports."""
