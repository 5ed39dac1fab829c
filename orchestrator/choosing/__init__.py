"""From a decision to the model that answers.

`catalogue` reads off the policy what selectors are told of their candidates, `building` makes a
decision's selector or its plan, `checking` says beforehand what is wrong with either, and `polling`
gathers for one request what a selector needs to know.
"""
