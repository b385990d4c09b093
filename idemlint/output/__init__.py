"""One module a format: a report and a stream in, text out."""
