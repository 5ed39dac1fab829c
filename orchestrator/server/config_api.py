"""/config/...: the policy in force, shown and changed (spec/http.md 7.2).

ETags are the SHA-256 of the document. Whoever changes it says with If-Match which one was seen:
428 without, 412 where another is in force by now; who is in a hurry says `*`. Secrets are shown to
tokens with `secret_view`.
To check a document takes what it takes to change it: its `${VARIABLES}` are those of the router,
and problems quote values.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from orchestrator.config import editing
from orchestrator.config.read import verbatim
from orchestrator.errors import ConfigError, RouterError
from orchestrator.server import config_bodies as bodies
from orchestrator.server.management import Auth, Endpoint, error_response, json_response
from orchestrator.server.policy_file import Changed, Checked, Edit, Held, PolicyFile

READ, WRITE, SECRETS = "config.read", "config.write", "secret_view"
NAME = "the policy in force"


class _Refused(RouterError):
    """An answer that is no success."""

    def __init__(self, status: int, code: str, message: str, digest: str = "") -> None:
        super().__init__(message)
        self.answer = (status, code, message)
        self.digest = digest


class ConfigApi:
    """The handlers, and where they are mounted. `auth` gives what is in force."""

    def __init__(self, file: PolicyFile, auth: Callable[[], Auth]) -> None:
        self._file = file
        self._auth = auth

    def endpoints(self) -> list[Endpoint]:
        router, recipes = "/config/router", "/config/router/recipes"
        table: list[tuple[str, str, str, str, Callable[[web.Request], Awaitable[web.Response]]]] = [
            ("GET", router, READ, "The policy in force", self.show),
            ("PUT", router, WRITE, "Replace the policy", self.replace),
            ("PATCH", router, WRITE, "Change the policy by a JSON merge patch", self.patch),
            ("POST", f"{router}/validate", WRITE, "Check a policy; nothing changes", self.validate),
            ("POST", f"{router}/rollback", WRITE, "Bring an earlier policy back", self.rollback),
            ("GET", f"{router}/versions", READ, "Earlier policies", self.versions),
            ("GET", "/config/hash", READ, "The SHA-256 of the policy in force", self.hash),
            ("GET", recipes, READ, "The recipes", self.recipes),
            ("POST", f"{recipes}/validate", WRITE, "Check a recipe", self.validate_recipe),
            ("GET", f"{recipes}/{{name}}", READ, "A recipe", self.recipe),
            ("PUT", f"{recipes}/{{name}}", WRITE, "Add or replace a recipe", self.put_recipe),
            ("DELETE", f"{recipes}/{{name}}", WRITE, "Remove a recipe", self.delete_recipe),
        ]
        return [
            Endpoint(method, path, permission, summary, _answered(handler))
            for method, path, permission, summary, handler in table
        ]

    async def show(self, request: web.Request) -> web.Response:
        """YAML as it is in the file, or JSON; without secrets, YAML too is made from the data."""
        held, secrets = self._file.held(), self._shows_secrets(request)
        wanted = request.headers.get("Accept", "")
        if not any(kind in wanted for kind in bodies.YAML_TYPES):
            return _json(await asyncio.to_thread(_shown, held, secrets), held.digest)
        text = held.text
        if not secrets:
            text = await asyncio.to_thread(lambda: editing.dump(_shown(held, False)))
        return web.Response(
            text=text, content_type=bodies.YAML, headers={"ETag": bodies.etag(held.digest)}
        )

    async def replace(self, request: web.Request) -> web.Response:
        body = await bodies.document(request)
        return await self._changed(request, lambda _: body.text(), body.note)

    async def patch(self, request: web.Request) -> web.Response:
        patch = await bodies.merge_patch(request)

        def edit(text: str) -> str:
            editing.refuse_masks(patch, "<body>")
            return editing.dump(editing.merged(verbatim(text, NAME), patch))

        return await self._changed(request, edit, bodies.REWRITTEN)

    async def validate(self, request: web.Request) -> web.Response:
        body = await bodies.document(request)
        return await self._checked(request, lambda _: body.text())

    async def rollback(self, request: web.Request) -> web.Response:
        wanted = (await bodies.json_object(request)).get("version")
        text = await asyncio.to_thread(self._file.version, str(wanted))
        if text is None:
            message = f"no version {str(wanted)[:64]!r}: GET /config/router/versions lists them"
            raise _Refused(404, "VERSION_NOT_FOUND", message)
        return await self._changed(request, lambda _: text)

    async def versions(self, request: web.Request) -> web.Response:
        found = await asyncio.to_thread(self._file.versions)
        listed = [
            {"version": one.id, "replaced_at": one.replaced.isoformat(), "hash": one.digest}
            for one in found
        ]
        held = self._file.held()
        return _json({"current": held.digest, "versions": listed}, held.digest)

    async def hash(self, request: web.Request) -> web.Response:
        digest = self._file.held().digest
        return _json({"hash": digest}, digest)

    # ---- recipes

    async def recipes(self, request: web.Request) -> web.Response:
        held = self._file.held()
        data = await asyncio.to_thread(_shown, held, self._shows_secrets(request))
        listed = [
            {"name": name, "description": recipe.get("description")}
            for name, recipe in editing.recipes(data).items()
        ]
        return _json({"recipes": listed}, held.digest)

    async def recipe(self, request: web.Request) -> web.Response:
        held, name = self._file.held(), request.match_info["name"]
        data = await asyncio.to_thread(_shown, held, self._shows_secrets(request))
        found = editing.recipes(data).get(name)
        if found is None:
            raise _no_recipe(name)
        return _json(found, held.digest)

    async def put_recipe(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        recipe = await bodies.json_object(request)
        if recipe.get("name", name) != name:
            raise _Refused(400, "INVALID_INPUT", "name: differs from that of the address")
        return await self._changed(request, _with_recipe(name, recipe), bodies.REWRITTEN)

    async def validate_recipe(self, request: web.Request) -> web.Response:
        recipe = await bodies.json_object(request)
        name = recipe.get("name")
        if not isinstance(name, str) or not name:
            raise _Refused(400, "INVALID_INPUT", "name: a text that is not empty is needed")
        return await self._checked(request, _with_recipe(name, recipe))

    async def delete_recipe(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]

        def edit(text: str) -> str:
            try:
                return editing.dump(editing.without_recipe(verbatim(text, NAME), name))
            except KeyError:
                raise _no_recipe(name) from None

        return await self._changed(request, edit, bodies.REWRITTEN)

    # ---- what they share

    def _shows_secrets(self, request: web.Request) -> bool:
        """Never without tokens: the file may be readable by fewer than the port is."""
        auth = self._auth()
        return auth.mode == "bearer" and auth.grants(
            request.headers.get("Authorization", ""), SECRETS
        )

    def _refuse_pages(self, request: web.Request) -> None:
        """A page in a browser on this machine, which reaches loopback as well, needs a token."""
        if self._auth().mode == "disabled" and "Origin" in request.headers:
            message = "a web page may not change or check the policy without a token"
            raise _Refused(403, "FORBIDDEN", message)

    async def _changed(self, request: web.Request, edit: Edit, note: str = "") -> web.Response:
        """Raises ConfigError, NotReloaded, and _Refused without or with another If-Match."""
        self._refuse_pages(request)
        header = request.headers.get("If-Match")
        if header is None:
            digest = self._file.held().digest
            message = f"send If-Match with the ETag of {NAME}, as GET gives it"
            raise _Refused(428, "PRECONDITION_REQUIRED", message, digest)

        def agreed(digest: str) -> None:
            if not bodies.agrees(header, digest):
                message = f"{NAME} is another one by now: GET it and look at the change"
                raise _Refused(412, "PRECONDITION_FAILED", message, digest)

        changed = await self._file.change(edit, agreed, f"{request.method} {request.path}")
        return _json(_told(changed, note), changed.checked.digest)

    async def _checked(self, request: web.Request, edit: Edit) -> web.Response:
        """200 whether it can be used or not."""
        self._refuse_pages(request)
        try:
            checked = await self._file.check(edit)
        except ConfigError as error:
            return json_response(
                {"valid": False, "problems": bodies.told(bodies.problems_of(error))}
            )
        return json_response({"valid": True, **_said(checked)})


def _answered(
    handler: Callable[[web.Request], Awaitable[web.Response]],
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answered(request: web.Request) -> web.Response:
        try:
            return await handler(request)
        except ConfigError as error:
            problems = bodies.problems_of(error)
            message = str(error).splitlines()[0]
            more = {"problems": bodies.told(problems)}
            return error_response(400, "CONFIG_INVALID", message, **more)
        except _Refused as error:
            response = error_response(*error.answer)
            if error.digest:
                response.headers["ETag"] = bodies.etag(error.digest)
            return response

    return answered


def _shown(held: Held, secrets: bool) -> dict[str, Any]:
    data = verbatim(held.text, NAME)
    return data if secrets else editing.masked(data)


def _with_recipe(name: str, recipe: dict[str, Any]) -> Edit:
    def edit(text: str) -> str:
        return bodies.dumped(editing.with_recipe(verbatim(text, NAME), name, recipe))

    return edit


def _no_recipe(name: str) -> _Refused:
    return _Refused(404, "RECIPE_NOT_FOUND", f"`recipes` has no {name!r}")


def _json(body: dict[str, Any], digest: str) -> web.Response:
    response = json_response(body)
    response.headers["ETag"] = bodies.etag(digest)
    return response


def _said(checked: Checked) -> dict[str, Any]:
    return {
        "hash": checked.digest,
        "problems": bodies.told(checked.warnings),
        "restart_required": bodies.told(checked.restart),
    }


def _told(changed: Changed, note: str) -> dict[str, Any]:
    more = {"note": note} if note and changed.outcome == "applied" else {}
    return {
        "status": changed.outcome,
        "replaced": changed.version,
        **_said(changed.checked),
        **more,
    }
