"""Measurements. Nothing here is imported by the router, and nothing asserts a speed."""
