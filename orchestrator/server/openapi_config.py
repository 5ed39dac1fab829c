"""The config endpoints, as part of the document of `openapi.py`."""

from __future__ import annotations

from orchestrator.server.config_bodies import JSON, MERGE_PATCH, YAML
from orchestrator.server.openapi_parts import COUNT, FLAG, TEXT, Schema, record, ref

OBJECT: Schema = {"type": "object"}
PROBLEMS: Schema = {"type": "array", "items": ref("ConfigProblem")}
TAG: Schema = {"schema": TEXT, "description": "names the document in force"}
NAME: Schema = {"name": "name", "in": "path", "required": True, "schema": TEXT}
MATCH: Schema = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "schema": TEXT,
    "description": "the ETag of the document that is to be replaced, or *",
}
BODY: Schema = {
    JSON: {"schema": OBJECT | {"description": 'the document, or {"yaml": its text}'}},
    YAML: {"schema": TEXT | {"description": "taken as it is, with its comments"}},
}
MASKED = "Secrets are ******** unless a token has secret_view; references to variables are shown."
REPLACED = (
    "The new policy is built whole beside the one in force, then replaces it at once and stands in "
    "the file; requests in progress end under the old one. Whatever goes wrong leaves the old one."
)


def _json(schema: Schema) -> Schema:
    return {JSON: {"schema": schema}}


def _body(content: Schema) -> Schema:
    return {"required": True, "content": content}


def _operation(summary: str, answer: Schema, security: list[Schema], **more: object) -> Schema:
    error = {"description": "A management error", "content": _json(ref("ManagementError"))}
    ok = {"description": summary, "content": answer, "headers": {"ETag": TAG}}
    return {
        "summary": summary,
        "tags": ["management plane"],
        "security": security,
        "responses": {"200": ok, "default": error},
        **more,
    }


def _change(
    summary: str, security: list[Schema], *parameters: Schema, body: Schema | None = None
) -> Schema:
    made = _operation(summary, _json(ref("ConfigChanged")), security, description=REPLACED)
    error = _json(ref("ManagementError"))
    refused = {
        "400": {"description": "It cannot be used", "content": _json(ref("ConfigRefused"))},
        "412": {"description": "Another document is in force by now", "content": error},
        "503": {"description": "It cannot come into force, as its models", "content": error},
    }
    if MATCH in parameters:
        refused["428"] = {"description": "If-Match is missing", "content": error}
    made["responses"] = {**made["responses"], **refused}
    made["parameters"] = [*parameters]
    return made | ({"requestBody": _body(body)} if body else {})


def paths(security: list[Schema]) -> dict[str, Schema]:
    """`security` is that of the management plane."""
    checked, router = _json(ref("ConfigChecked")), "/config/router"
    shown = {JSON: {"schema": OBJECT}, YAML: {"schema": TEXT}}
    recipe = _json(ref("ConfigRecipe"))
    said = OBJECT | {"description": "RFC 7396: null removes, lists are replaced"}
    patch: Schema = {MERGE_PATCH: {"schema": said}, JSON: {"schema": said}}
    version = _json(record("version", version=TEXT))
    return {
        router: {
            "get": _operation("The policy in force", shown, security, description=MASKED),
            "put": _change("Replace the policy", security, MATCH, body=BODY),
            "patch": _change("Change the policy by a merge patch", security, MATCH, body=patch),
        },
        f"{router}/validate": {
            "post": _operation("Check a policy", checked, security, requestBody=_body(BODY))
        },
        f"{router}/rollback": {
            "post": _change("Bring an earlier policy back", security, MATCH, body=version)
        },
        f"{router}/versions": {
            "get": _operation("Earlier policies", _json(ref("ConfigVersions")), security)
        },
        "/config/hash": {
            "get": _operation(
                "The SHA-256 of the policy", _json(record("hash", hash=TEXT)), security
            )
        },
        f"{router}/recipes": {
            "get": _operation(
                "The recipes",
                _json(record(recipes={"type": "array", "items": ref("ConfigRecipe")})),
                security,
            )
        },
        f"{router}/recipes/validate": {
            "post": _operation(
                "Check a recipe in its policy", checked, security, requestBody=_body(recipe)
            )
        },
        f"{router}/recipes/{{name}}": {
            "get": _operation("A recipe", recipe, security, parameters=[NAME]),
            "put": _change("Add or replace a recipe", security, MATCH, NAME, body=recipe),
            "delete": _change("Remove a recipe", security, MATCH, NAME),
        },
    }


def schemas() -> dict[str, Schema]:
    """By name, for components.schemas."""
    said: dict[str, Schema] = dict(hash=TEXT, problems=PROBLEMS, restart_required=PROBLEMS)
    version = record("version", version=TEXT, replaced_at=TEXT, hash=TEXT)
    return {
        "ConfigProblem": record(
            "path",
            "message",
            "severity",
            path=TEXT,
            message=TEXT,
            line=COUNT,
            file=TEXT,
            hint=TEXT,
            severity={"enum": ["error", "warning"]},
        ),
        "ConfigChecked": record("valid", "problems", valid=FLAG, **said),
        "ConfigChanged": record(
            "status",
            "hash",
            status={"enum": ["applied", "unchanged"]},
            replaced=TEXT | {"description": "the version that was in force, for a rollback"},
            note=TEXT,
            **said,
        ),
        "ConfigRefused": record(
            "error", error=record("code", "message", "timestamp", problems=PROBLEMS)
        ),
        "ConfigVersions": record(
            "current", "versions", current=TEXT, versions={"type": "array", "items": version}
        ),
        "ConfigRecipe": record(name=TEXT, description=TEXT, routing=OBJECT),
    }
