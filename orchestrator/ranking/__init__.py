"""Numbers that selectors share: normal scales, weighted splits, likeness, trained predictors.

Knows neither requests nor policies, and only artefacts are read (spec/algorithms.md 5.1).
"""
