"""Labelled texts, asked of the live models and judged (`tsr evaluate`).

`rows` reads them, `asking` asks the models as the signals do, `guards`, `entities` and `figures`
compute what `tables` shows, `thresholds` knows what decides and `proposal` what would be better.
"""
