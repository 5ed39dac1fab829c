import json

from orchestrator.config.schema import Config
from orchestrator.server.classify import Classify
from orchestrator.server.classify_bodies import EvalOptions
from orchestrator.server.config_api import ConfigApi
from orchestrator.server.embeddings import Embeds
from orchestrator.server.evaluate import Evaluate, evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import Auth, build
from orchestrator.server.openapi import document
from orchestrator.server.operate import Operate, ReadyStatus
from orchestrator.server.routes import data_plane
from orchestrator.telemetry import Telemetry
from tests.server.policies import LAW, a_pipeline


def described(tag: str) -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, operations in document("1")["paths"].items()
        for method, operation in operations.items()
        if tag in operation["tags"]
    }


def test_it_describes_the_mounted_management_routes_and_no_others():
    operate = Operate(Telemetry(), lambda: ReadyStatus("ready"), document("1"))
    classify = Classify(lambda: None, lambda: None, Config(), ("user", "groups"))
    config = ConfigApi(None, Auth)
    parts = (operate, Evaluate(lambda: None), classify, Embeds(lambda: None), config)
    app = build([endpoint for part in parts for endpoint in part.endpoints()], Auth())

    mounted = {(route.method, route.resource.canonical) for route in app.router.routes()}

    assert described("management plane") == mounted


def test_it_describes_the_mounted_data_plane_routes_and_no_others():
    app = data_plane(DataPlane(pipeline=lambda: None, telemetry=Telemetry()))

    mounted = {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.method != "HEAD"
    }

    assert described("data plane") == mounted


def references(value) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if "$ref" in value else set()
        return own.union(*(references(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(references(inner) for inner in value))
    return set()


def test_every_schema_is_used_and_every_reference_resolves():
    whole = document("1")
    names = {f"#/components/schemas/{name}" for name in whole["components"]["schemas"]}

    assert references(whole) == names


def test_it_is_json_and_carries_the_version():
    whole = json.loads(json.dumps(document("1.2.3")))

    assert whole["openapi"].startswith("3.1")
    assert whole["info"]["version"] == "1.2.3"


def test_every_operation_has_a_summary_and_answers():
    for path, operations in document("1")["paths"].items():
        for operation in operations.values():
            assert operation["summary"], path
            assert "200" in operation["responses"], path


def test_the_management_plane_may_ask_for_a_bearer_token_save_for_health():
    paths = document("1")["paths"]
    asking = {
        path
        for path, operations in paths.items()
        for operation in operations.values()
        if {"bearer": []} in operation.get("security", [])
    }

    assert asking == {path for _, path in described("management plane")} - {"/health"}


def test_the_options_of_eval_are_those_it_takes():
    whole = document("1")["components"]["schemas"]
    _, options = whole["EvalRequest"]["allOf"]

    assert set(options["properties"]["options"]["properties"]) == set(EvalOptions.model_fields)


async def test_every_field_of_an_evaluation_is_described():
    body = {
        "text": "hi",
        "options": {"trace": True, "return_probabilities": True, "include_explanation": True},
    }
    answer = await evaluate(a_pipeline(LAW), body)

    described = document("1")["components"]["schemas"]["EvalAnswer"]["properties"]

    assert answer.keys() == described.keys()
    assert answer["decision_result"].keys() == described["decision_result"]["properties"].keys()
