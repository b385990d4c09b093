"""The semantic model: questions about names, values, effects, guards and flow."""
