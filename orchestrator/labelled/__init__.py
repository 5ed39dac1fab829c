"""Labelled texts and pictures, asked of the live models and judged.

Texts (`tsr evaluate`):

`rows` reads them, `asking` asks the models as the signals do, `guards`, `entities` and `figures`
compute what `tables` shows, `thresholds` knows what decides and `proposal` what would be better.

Pictures (`tsr probe-labels`): `pictures` and `groups` read them and their labels, `looking` asks
the models, `inversion` judges what `heat_map` draws and `margins` tells.
"""
