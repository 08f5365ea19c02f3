"""Cameras: opened, known again, learned while their pictures come."""
