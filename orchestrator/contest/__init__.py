"""A contest among the candidates of one decision: who stands, what is asked, who judges, and how.

`contenders` are told of by the policy, `needs` of the request; `surroundings` are what else of the
policy a judge depends on, trained models above all. `selector` is the contract of the judges, which
`selection` has one file each of, and `trained` of those that predict from an artefact.
"""
