import json

import pytest
from aiohttp import web

from orchestrator.config.services import ManagementAuth
from orchestrator.errors import BodyTooLarge, Forbidden, InferenceTimeout, RequestError
from orchestrator.inference.checkup import Trust
from orchestrator.inference.goldens import Parity
from orchestrator.inference.trust import ServerState
from orchestrator.server.management import DEFAULT_ROLES, Auth, Endpoint, auth_of, build
from orchestrator.server.openapi import document
from orchestrator.server.operate import Operate, ReadyStatus
from orchestrator.telemetry import Telemetry

PARITY = Parity(count=9, min_cosine=0.9996, mean_cosine=0.99981234, tolerance=0.999)
MODEL = Trust("text_embedding", True, "", parity=PARITY, version="1", device="cpu")
COLD = Trust("image_signals", False, "warming up", version="2", device="cpu")


READY = ReadyStatus("ready")


def operate(status: ReadyStatus = READY, telemetry: Telemetry | None = None):
    return Operate(telemetry or Telemetry(), lambda: status, document("1.2.3"))


async def client_of(aiohttp_client, *endpoints: Endpoint, auth: Auth | None = None):
    return await aiohttp_client(build(endpoints, auth or Auth()))


async def test_health_is_the_reference_routers_own(aiohttp_client):
    client = await client_of(aiohttp_client, *operate(ReadyStatus("starting")).endpoints())

    response = await client.get("/health")

    assert response.status == 200
    assert await response.json() == {"status": "healthy", "service": "classification-api"}


@pytest.mark.parametrize(
    ("status", "http"),
    [
        pytest.param(ReadyStatus("starting"), 503, id="starting"),
        pytest.param(ReadyStatus("stopping"), 503, id="stopping"),
        pytest.param(ReadyStatus("degraded"), 503, id="a model was trusted and is not now"),
        pytest.param(ReadyStatus("ready"), 200, id="ready"),
    ],
)
async def test_ready_says_whether_traffic_may_come(aiohttp_client, status, http):
    client = await client_of(aiohttp_client, *operate(status).endpoints())

    assert (await client.get("/ready")).status == http
    assert (await (await client.get("/startup-status")).json())["ready"] == (http == 200)


async def test_ready_names_every_server_and_model(aiohttp_client):
    status = ReadyStatus(
        "starting", (ServerState("localhost:8001", True),), (MODEL, COLD), "1 model is cold"
    )
    client = await client_of(aiohttp_client, *operate(status).endpoints())

    assert await (await client.get("/ready")).json() == {
        "status": "starting",
        "message": "1 model is cold",
        "triton": [{"url": "localhost:8001", "ready": True}],
        "models": [
            {
                "name": "text_embedding",
                "version": "1",
                "device": "cpu",
                "trusted": True,
                "reason": "",
                "parity": {
                    "min_cosine": 0.9996,
                    "mean_cosine": 0.999812,
                    "count": 9,
                    "tolerance": 0.999,
                },
            },
            {
                "name": "image_signals",
                "version": "2",
                "device": "cpu",
                "trusted": False,
                "reason": "warming up",
                "parity": {},
            },
        ],
    }
    assert await (await client.get("/startup-status")).json() == {
        "phase": "starting",
        "ready": False,
        "message": "1 model is cold",
        "pending_models": ["image_signals"],
        "ready_models": 1,
        "total_models": 2,
    }


async def test_ready_tells_how_far_a_classifier_is_off(aiohttp_client):
    parity = Parity(0.9999, 1.0, 9, 0.999, probability=0.0123456789, span_score=0.0)
    status = ReadyStatus("ready", models=(Trust("text_signals", True, "", parity=parity),))
    client = await client_of(aiohttp_client, *operate(status).endpoints())

    [model] = (await (await client.get("/ready")).json())["models"]

    assert model["parity"] == {
        "min_cosine": 0.9999,
        "mean_cosine": 1.0,
        "count": 9,
        "tolerance": 0.999,
        "max_probability_difference": 0.012346,
        "max_span_score_difference": 0.0,
    }


async def test_metrics_are_prometheus_text(aiohttp_client):
    telemetry = Telemetry(["big"])
    client = await client_of(aiohttp_client, *operate(telemetry=telemetry).endpoints())
    telemetry.forwarded("big")

    response = await client.get("/metrics")

    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'llm_model_requests_total{model="big"} 1.0' in await response.text()


async def test_the_index_lists_what_is_mounted(aiohttp_client):
    client = await client_of(aiohttp_client, *operate().endpoints())

    listed = (await (await client.get("/api/v1")).json())["endpoints"]

    assert [(entry["method"], entry["path"]) for entry in listed] == [
        ("GET", "/health"),
        ("GET", "/ready"),
        ("GET", "/startup-status"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/api/v1"),
    ]
    assert all(entry["description"] for entry in listed)


def raising(error: Exception) -> Endpoint:
    async def handler(request: web.Request) -> web.Response:
        raise error

    return Endpoint("POST", "/fails", "docs.read", "Fails", handler)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        pytest.param(RequestError("no", "x"), 400, "INVALID_INPUT", id="request"),
        pytest.param(Forbidden("no"), 403, "FORBIDDEN", id="forbidden"),
        pytest.param(BodyTooLarge("no"), 413, "REQUEST_BODY_TOO_LARGE", id="too large"),
        pytest.param(InferenceTimeout("no"), 503, "INFERENCE_TIMEOUT", id="model server"),
        pytest.param(web.HTTPConflict(), 409, "HTTP_ERROR", id="any other HTTP error"),
    ],
)
async def test_every_error_has_one_shape(aiohttp_client, error, status, code):
    client = await client_of(aiohttp_client, raising(error))

    response = await client.post("/fails")

    assert response.status == status
    assert response.content_type == "application/json"
    body = await response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "timestamp"}
    assert body["error"]["code"] == code


async def test_a_fault_of_ours_tells_the_log_and_not_the_caller(aiohttp_client, caplog):
    client = await client_of(aiohttp_client, raising(ZeroDivisionError("secret detail")))

    response = await client.post("/fails")

    assert response.status == 500
    assert (await response.json())["error"]["code"] == "INTERNAL_ERROR"
    assert "secret detail" not in await response.text()
    assert "ZeroDivisionError" in caplog.text
    assert "secret detail" not in caplog.text


async def test_unknown_paths_and_wrong_methods_are_json_too(aiohttp_client):
    client = await client_of(aiohttp_client, *operate().endpoints())

    missing = await client.get("/nothing")
    wrong = await client.post("/health")

    assert missing.status == 404
    assert (await missing.json())["error"]["code"] == "NOT_FOUND"
    assert wrong.status == 405
    assert (await wrong.json())["error"]["code"] == "METHOD_NOT_ALLOWED"
    assert "GET" in wrong.headers["Allow"]


AUTH = Auth("bearer", {"tok-view": "viewer", "tok-admin": "admin", "tok-odd": "made-up"})


@pytest.mark.parametrize(
    ("path", "header", "status", "code"),
    [
        pytest.param("/metrics", None, 401, "UNAUTHORIZED", id="no token"),
        pytest.param("/metrics", "Bearer wrong", 401, "UNAUTHORIZED", id="wrong token"),
        pytest.param("/metrics", "Bearer", 401, "UNAUTHORIZED", id="empty token"),
        pytest.param("/metrics", "Basic tok-admin", 401, "UNAUTHORIZED", id="wrong scheme"),
        pytest.param("/metrics", "Bearer tok-adm\xef", 401, "UNAUTHORIZED", id="not ASCII"),
        pytest.param("/ready", None, 401, "UNAUTHORIZED", id="readiness needs a token"),
        pytest.param("/metrics", "Bearer tok-odd", 403, "FORBIDDEN", id="role without rights"),
        pytest.param("/secrets", "Bearer tok-view", 403, "FORBIDDEN", id="beyond the role"),
        pytest.param("/health", None, 200, None, id="health is open"),
        pytest.param("/metrics", "Bearer tok-view", 200, None, id="viewer reads metrics"),
        pytest.param("/metrics", "bearer  tok-view ", 200, None, id="scheme in lower case"),
        pytest.param("/secrets", "Bearer tok-admin", 200, None, id="admin may everything"),
    ],
)
async def test_bearer_tokens(aiohttp_client, path, header, status, code):
    async def secrets(request: web.Request) -> web.Response:
        return web.json_response({})

    secret = Endpoint("GET", "/secrets", "secret_view", "Secrets", secrets)
    client = await client_of(aiohttp_client, *operate().endpoints(), secret, auth=AUTH)

    response = await client.get(path, headers={"Authorization": header} if header else {})

    assert response.status == status
    if code:
        assert (await response.json())["error"]["code"] == code
    if status == 401:
        assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_bearer_without_tokens_lets_nobody_in(aiohttp_client):
    client = await client_of(aiohttp_client, *operate().endpoints(), auth=Auth("bearer"))

    response = await client.get("/metrics", headers={"Authorization": "Bearer "})

    assert response.status == 401
    assert (await response.json())["error"]["code"] == "MANAGEMENT_AUTH_NOT_CONFIGURED"
    assert (await client.get("/health")).status == 200


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({"tokens": [{"env": "UNSET", "role": "admin"}]}, Auth(), id="disabled"),
        pytest.param(
            {"mode": "bearer", "tokens": [{"env": "TOKEN", "role": "viewer"}]},
            Auth("bearer", {"value of TOKEN": "viewer"}),
            id="bearer, with the default roles",
        ),
        pytest.param(
            {"mode": "bearer", "roles": {"viewer": ["ready.read"]}},
            Auth("bearer", {}, DEFAULT_ROLES | {"viewer": frozenset({"ready.read"})}),
            id="a role of its own",
        ),
    ],
)
def test_auth_of_the_config(settings, expected):
    def secret(name: str) -> str:
        assert name != "UNSET"
        return f"value of {name}"

    assert auth_of(ManagementAuth.model_validate(settings), secret) == expected


def test_tokens_are_not_in_the_representation():
    assert "tok-view" not in repr(AUTH)


async def test_openapi_is_served(aiohttp_client):
    client = await client_of(aiohttp_client, *operate().endpoints())

    served = await (await client.get("/openapi.json")).json()

    assert served == json.loads(json.dumps(document("1.2.3")))
