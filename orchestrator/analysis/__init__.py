"""What a policy can and cannot do, proved: nothing is asked of a model, no request is needed.

A recipe becomes propositional logic (`world.py`): two bits for each fact, *holds* and *fails*
(neither: unknown), the claims of signals and projections about them (claims.py), and the trees of
the decisions in Kleene's logic. A SAT solver (`prover.py`) then answers, and each answer comes
with a witness as small as it can be.

What is said and when it is true:

- `unreachable`: no reading that keeps the claims satisfies the tree, whatever is unknown. Unknown
  facts never make such a decision match. Where only an unknown fact could (a partition is not
  decided while one of its members is unknown), the verdict names these facts.
- `shadowed`: each reading that satisfies the tree satisfies a decision that always goes before it
  (lower tier, or higher priority where the strategy is `priority`). Evidence is not compared.
- `reachable` means *not disproved*. Of what the signals do not claim, all is thought possible: two
  keyword rules may share a word, a score takes any value between its extremes.
"""
