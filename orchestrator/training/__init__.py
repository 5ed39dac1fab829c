"""Artefacts of the selectors that are trained, from what models did with requests.

`outcomes` reads the requests, `fitting` trains with scikit-learn (the extra `selectors`), `trial`
says how much the result is worth on requests that it has not seen. Serving needs none of it.
"""
