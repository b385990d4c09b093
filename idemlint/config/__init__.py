"""Discovery, validation and selectors of the configuration."""
