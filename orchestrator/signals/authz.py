"""authz -- which roles the caller has (spec/signals.md 2.13).

A binding gives its role to users and groups. Who calls is what the authentication layer in front
of the router says in headers. A decision names the role; the name of a binding works as well,
except where another binding has a role of that name: roles go first. Both appear in the reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from orchestrator.claims import Claim, Implies, Number
from orchestrator.config.fields import Name, Strict
from orchestrator.config.services import Authz as Settings
from orchestrator.errors import Forbidden
from orchestrator.signals import SIGNALS, Heuristic, Rule, RuleName, Surroundings
from orchestrator.types import Identity, Reading, Request


class Subject(Strict):
    kind: Literal["User", "Group"]
    """A user, or all of a group."""
    name: Name
    """As the headers of global.services.authz.identity give it."""

    def covers(self, identity: Identity) -> bool:
        if self.kind == "User":
            return self.name == identity.user
        return self.name in identity.groups


class AuthzRule(Rule):
    """One row of routing.signals.role_bindings."""

    role: RuleName
    """As decisions call it."""
    subjects: Annotated[tuple[Subject, ...], Field(min_length=1)]
    """Who has the role."""


@SIGNALS.register("authz")
class Authz(Heuristic[AuthzRule]):
    """Raises Forbidden for a request without a user id, unless `fail_open`."""

    Rule = AuthzRule
    section = "role_bindings"
    results = "authz"
    settings = ("services", "authz")

    def __init__(self, rules: Sequence[AuthzRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        settings: Any = surroundings.settings.get("authz", {})
        self._settings = Settings.model_validate(settings)
        self._roles = frozenset(rule.role for rule in self.rules)

    @classmethod
    def leaves(cls, rules: Sequence[AuthzRule]) -> dict[str, str]:
        """Bindings by their own names, and roles with the first binding that gives each.

        A binding that is named like another's role stands behind nothing: its name in a reading
        is that role.
        """
        roles = {rule.role for rule in rules}
        names = {rule.name: rule.name for rule in rules if rule.name not in roles}
        for rule in reversed(rules):
            shadowed = rule.name in roles and rule.name != rule.role
            names[rule.role] = rule.role if shadowed else rule.name
        return names

    @classmethod
    def claims(cls, rules: Sequence[AuthzRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        roles = {rule.role for rule in rules}
        for rule in rules:
            if rule.name not in roles:
                yield Implies(rule.name, rule.role, f"{rule.name} gives the role {rule.role}")

    @classmethod
    def numbers(
        cls, rules: Sequence[AuthzRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return dict.fromkeys(cls.leaves(rules))

    @classmethod
    def lets_pass(cls, rules: Sequence[AuthzRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        """With `fail_open` a caller without a name has no role, and is not refused."""
        opens = Settings.model_validate(settings).fail_open
        return tuple(rule.name for rule in rules) if opens else ()

    def evaluate(self, request: Request) -> Reading:
        identity = request.identity
        if not identity.user and not self._settings.fail_open:
            raise Forbidden("this policy gives roles to users, and the request names no user")
        matches: dict[str, float | None] = {}
        for rule in self.rules:
            if any(subject.covers(identity) for subject in rule.subjects):
                matches[rule.role] = None
                if rule.name not in self._roles:
                    matches[rule.name] = None
        return Reading(matches)
