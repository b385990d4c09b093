"""Files and their text: reading, the gate, the index of a module, slices, suppressions."""
