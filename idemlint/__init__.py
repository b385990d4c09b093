"""idemlint: finds where a retried call repeats its effect."""

__version__ = "0.1.0"
