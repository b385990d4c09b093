"""The doors: command line, flake8, language server."""
