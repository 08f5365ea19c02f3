"""The half of the page that sees: cameras, copies and decks, behind what the pages ask for."""
