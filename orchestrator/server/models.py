"""GET /v1/models: the names a client may ask for (spec/http.md 7.1)."""

from __future__ import annotations

from typing import Any

import orjson
from aiohttp import web

from orchestrator.errors import ModelNotFound, quoted
from orchestrator.server import headers
from orchestrator.server.keys import DATA_PLANE
from orchestrator.types import ModelEntry


async def list_models(http: web.Request) -> web.Response:
    plane = http.app[DATA_PLANE]
    entries = [_entry(entry, plane.created) for entry in plane.pipeline().names.listing]
    return _json({"object": "list", "data": entries})


async def retrieve_model(http: web.Request) -> web.Response:
    plane, wanted = http.app[DATA_PLANE], http.match_info["id"]
    for entry in plane.pipeline().names.listing:
        if entry.id == wanted:
            return _json(_entry(entry, plane.created))
    raise ModelNotFound(f"model {quoted(wanted)!r} does not exist", "model")


def _entry(entry: ModelEntry, created: int) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": entry.id,
        "object": "model",
        "created": created,
        "owned_by": entry.owned_by,
    }
    if entry.description is not None:
        shown["description"] = entry.description
    routing: dict[str, Any] = {"resolution": entry.resolution, "selectable": entry.selectable}
    if entry.default_route:
        routing["default_route"] = True
    if entry.recipe is not None:
        routing["recipe"] = entry.recipe
    return shown | {"routing": routing}


def _json(value: dict[str, Any]) -> web.Response:
    return web.Response(
        body=orjson.dumps(value),
        content_type="application/json",
        headers=headers.always("upstream"),
    )
