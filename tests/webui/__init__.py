"""Tests of the page and the runner; `fakes` are tables without a camera, `browsing` drives a real browser."""
