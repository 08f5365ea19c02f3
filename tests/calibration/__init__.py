"""Tests of what is learned or made once."""
