"""user_feedback -- how the user takes the previous answer (spec/signals.md 2.5)."""

from __future__ import annotations

from typing import Literal

from orchestrator.signals import SIGNALS, Declared, Rule


class UserFeedbackRule(Rule):
    """One row of routing.signals.user_feedbacks: the name is the classifier's verdict."""

    name: Literal["satisfied", "need_clarification", "wrong_answer", "want_different"]


@SIGNALS.register("user_feedback")
class UserFeedback(Declared[UserFeedbackRule]):
    Rule = UserFeedbackRule
    section = "user_feedbacks"
    results = "user_feedback"
