"""Pure text and vector matching; no I/O, no configuration files, no model server."""
