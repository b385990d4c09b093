"""Facts about frameworks, providers, stores and names: typed rows and their loader."""
