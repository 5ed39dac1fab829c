"""Meanings on the unit circle: the cosine of two is that of the angle between them."""

import math

import pytest


def circle(degrees):
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def cos(degrees):
    """As single precision gives it."""
    return pytest.approx(math.cos(math.radians(degrees)), abs=1e-6)
