"""Labelled photographs that another renderer made, judged by the command itself."""
