"""The language server: the linter behind the protocol of editors."""
