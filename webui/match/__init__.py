"""The pages of matches, and the forms that are filled in on them."""
