"""/config/router/recipes of a real router."""

from tests.app.reloads import watched

ROUTER = "/config/router"
RECIPE = {"description": "fast ones", "routing": {"decisions": []}}


async def decision(router):
    return (await router.planes.eval("hello"))["routing_decision"]


async def test_recipes_are_shown_added_replaced_and_removed(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        path, headers = f"{ROUTER}/recipes/fast", {"If-Match": "*"}
        assert (await router.api("PUT", path, json=RECIPE))[0] == 428
        assert (await router.api("PUT", path, json=RECIPE, headers=headers))[0] == 200
        _, listed, _ = await router.api("GET", f"{ROUTER}/recipes")
        assert [one["name"] for one in listed["recipes"]] == ["default", "fast"]
        _, shown, told = await router.api("GET", path)
        assert shown == {"name": "fast", **RECIPE}

        wrong = {"routing": {"decisions": [{"name": "d", "modelRefs": [{"model": "nobody"}]}]}}
        status, said, _ = await router.api("PUT", path, json=wrong, headers=headers)
        assert (status, said["error"]["code"]) == (400, "CONFIG_INVALID")
        url = f"{ROUTER}/recipes/validate"
        _, said, _ = await router.api("POST", url, json={"name": "fast", **wrong})
        assert said["valid"] is False

        headers = {"If-Match": told["ETag"]}
        assert (await router.api("DELETE", path, headers=headers))[0] == 200
        assert (await router.api("GET", path))[0] == 404
        assert (await router.api("DELETE", path, headers={"If-Match": "*"}))[0] == 404


async def test_the_recipe_default_is_changed_or_refused_whole(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        path, headers = f"{ROUTER}/recipes/default", {"If-Match": "*"}
        for wrong in ({}, {"routing": []}, {"routing": "x"}, {"routing": {}, "priority": 1}):
            status, said, _ = await router.api("PUT", path, json=wrong, headers=headers)
            assert (status, said["error"]["code"]) == (400, "CONFIG_INVALID")
        assert await decision(router) == "decision-0"

        status, _, _ = await router.api("PUT", path, json=RECIPE, headers=headers)
        assert status == 200
        assert await decision(router) != "decision-0"
        _, shown, _ = await router.api("GET", path)
        assert shown == {"name": "default", **RECIPE}
        _, listed, _ = await router.api("GET", f"{ROUTER}/recipes")
        assert listed["recipes"] == [{"name": "default", "description": RECIPE["description"]}]


async def test_a_recipe_with_a_masked_secret_is_refused(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        signals = {"keywords": [{"name": "k", "operator": "OR", "keywords": ["a://********@b"]}]}
        recipe = {"name": "fast", "routing": {"signals": signals}}
        path, headers = f"{ROUTER}/recipes/fast", {"If-Match": "*"}
        status, said, _ = await router.api("PUT", path, json=recipe, headers=headers)
        assert (status, "masked secrets" in said["error"]["message"]) == (400, True)
        _, said, _ = await router.api("POST", f"{ROUTER}/recipes/validate", json=recipe)
        assert (said["valid"], "not shown" in said["problems"][0]["message"]) == (False, True)
