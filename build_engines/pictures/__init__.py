"""Labelled pictures for the image classifier, rendered from seeds: `pictures`."""

from build_engines.pictures.generate import pictures
from build_engines.pictures.picture import FAMILIES, SPLITS, Picture, Split

__all__ = ["FAMILIES", "SPLITS", "Picture", "Split", "pictures"]
