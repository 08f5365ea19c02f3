"""Tests of every room, and what draws, trains and measures: `render`, `decks`, `training`, `measure`, `benchmarks`."""
