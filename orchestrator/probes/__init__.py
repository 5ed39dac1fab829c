"""Probe files: requests with the decisions that they must win (spec/conformance.md 11.1).

`load` reads a file in the reference router's schema, `request` writes a probe's request out in
full, `comparison` makes the ten checks on an answer of /api/v1/eval, `dependencies` says which
signals an expectation rests on, `runner` runs a file, `report` and `junit` show the result.
`differences` says what the signals are that differ, `coverage` what of the policy the requests
reach, `demands` what the file asks of its own assertions.
"""
