"""Where frames come from: `sources` opens cameras, recordings and folders, `photos` reads single pictures."""
