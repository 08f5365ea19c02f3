"""Times and memory, measured against decoding the same photo in the same run; `make bench`."""
