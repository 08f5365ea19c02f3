"""Tests of the eye, and the small pictures that they look at."""
