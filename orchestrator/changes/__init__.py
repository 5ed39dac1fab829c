"""What changes from one policy file to another: `tsr diff`.

`structure` compares the files as they are understood: decisions, rules, projections, models,
entrypoints, settings; `values` and `trees` say what counts as a difference, `renames` pairs what
kept its content, `usage` tells the decisions that a rule or a model touches. `traffic` reads
recorded requests, `routing` sends each through both policies, `effects` and `costs` add up what
comes out. `report` and `as_json` show it.
"""
