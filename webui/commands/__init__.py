"""The commands of the command line, and the half of the page that sees: cameras, lessons, copies, decks."""
