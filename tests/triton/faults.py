"""What the tests of faults share: a policy whose answers tell what was known, and the blows."""

import json
import os
import signal


def policy(repository, backends, signals, decisions, settings=None):
    """YAML in which every decision picks `small`, so that its name alone tells what was known.

    `repository`: of the models. `backends`: model -> its backend_refs. `decisions`: name -> rule,
    the first one goes first; what none of them wants is `default`.
    """
    chosen = {"modelRefs": [{"model": "small"}]}
    rules = [{"name": name, "rules": rule} for name, rule in decisions.items()]
    ordered = [*rules, {"name": "default"}]
    document = {
        "version": "v0.3",
        "providers": {
            "defaults": {"default_model": "small"},
            "models": [{"name": name, "backend_refs": refs} for name, refs in backends.items()],
        },
        "routing": {
            "modelCards": [{"name": name} for name in backends],
            "signals": signals,
            "decisions": [
                one | chosen | {"priority": priority}
                for priority, one in zip(range(len(rules), -1, -1), ordered, strict=True)
            ],
        },
        "global": {
            "model_catalog": settings or {},
            "services": {"triton": {"model_repository": str(repository)}},
        },
    }
    return json.dumps(document, indent=1)


def kill_tritonserver(running):
    os.kill(running.tritonserver(), signal.SIGKILL)


def kill_one_stub(running):
    os.kill(running.stubs()[0], signal.SIGKILL)
