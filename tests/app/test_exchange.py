"""What a policy changes when it comes into force, and not before."""

from orchestrator.app.exchange import Faces
from orchestrator.app.faces import Shown, face_of
from orchestrator.app.life import Life
from orchestrator.app.options import Options
from orchestrator.app.running import running, sharing
from orchestrator.server.keys import DataPlane
from orchestrator.telemetry import Telemetry
from tests.app.planes import compiled

POLICY = """
version: v0.3
providers: {defaults: {default_model: q}, models: [{name: q, pricing: {prompt_per_1m: 1}}]}
routing: {modelCards: [{name: q, quality_score: 0.9}]}
"""


def rating(standing):
    return standing.records(["q"])["q"].rating


async def test_the_standing_knows_of_a_policy_once_it_is_installed():
    policy, telemetry, life = compiled(POLICY), Telemetry(), Life()
    shown = Shown(face_of(policy), DataPlane(life.pipeline, telemetry))
    async with sharing(telemetry) as shared:
        unknown = rating(shared.standing)
        faces = Faces(shared, shown, life, policy, Options(), "1.0")
        async with faces.make(policy, patient=False):
            pass  # it was built, and refused
        assert rating(shared.standing) == unknown

        async with faces.make(policy, patient=False) as router:
            faces.install(faces.face(router))
        assert rating(shared.standing) > unknown


async def test_a_command_knows_of_its_policy():
    async with running(compiled(POLICY)) as router:
        assert rating(router.standing) > 1500
