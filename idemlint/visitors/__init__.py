"""One module a rule: LibCST visitors that ask the model and report."""
