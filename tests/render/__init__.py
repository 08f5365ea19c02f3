"""Tables drawn with a deck and a camera of their own, with the truth beside each picture."""
