import pytest

from tests.server.plane import plane

AUTO = {
    "id": "auto",
    "object": "model",
    "created": 7,
    "owned_by": "us",
    "description": "any",
    "routing": {
        "resolution": "virtual",
        "selectable": True,
        "default_route": True,
        "recipe": "default",
    },
}
BACKEND = {
    "id": "q",
    "object": "model",
    "created": 7,
    "owned_by": "them",
    "routing": {"resolution": "passthrough", "selectable": False},
}


async def test_the_list():
    async with plane() as running, running.http.get(f"{running.url}/v1/models") as response:
        body = await response.json()

    assert body["object"] == "list"
    assert [entry["id"] for entry in body["data"]] == ["auto", "team/fast", "q"]
    assert (body["data"][0], body["data"][2]) == (AUTO, BACKEND)


@pytest.mark.parametrize(
    "name, status",
    [("nobody", 404), ("team", 404), ("auto", 200), ("team/fast", 200), ("team%2Ffast", 200)],
)
async def test_one_model(name, status):
    url = f"/v1/models/{name}"
    async with plane() as running, running.http.get(f"{running.url}{url}") as response:
        body = await response.json()

    assert response.status == status
    if status == 200:
        assert body["id"] == name.replace("%2F", "/")
    else:
        assert body["error"]["code"] == "model_not_found"
