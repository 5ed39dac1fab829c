"""configs/images.yaml as users run it: OpenAI SDK, router, real Triton, demo upstream."""

import asyncio
import base64
import sys
from dataclasses import dataclass

import openai
import pytest
import pytest_asyncio

from tests.processes import ROOT, Router

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

PICTURES = ROOT / "tests" / "pictures"
FORMATS = {".jpg": "jpeg", ".png": "png", ".webp": "webp", ".gif": "gif"}
RULES = [
    f"embedding:{name}" for name in ("handwriting", "identity_document", "source_code", "terminal")
]
PRIVATE = "model private-vision answered; thinking=off"
CODE = 'model code-vision answered; thinking=off; chat_template_kwargs={"enable_thinking": false}'
DEBUG = 'model code-vision answered; thinking=on; chat_template_kwargs={"enable_thinking": true}'
DEFAULT = "model small-vision answered; thinking=off"


@dataclass(frozen=True)
class Running:
    router: Router
    sdk: openai.AsyncOpenAI

    async def ask(self, content):
        """What the upstream said, and the headers."""
        answer = await self.sdk.chat.completions.with_raw_response.create(
            model="auto", messages=[{"role": "user", "content": content}]
        )
        return answer.parse().choices[0].message.content, answer.headers

    async def explained(self, content):
        body = {"messages": [{"role": "user", "content": content}], "options": {"trace": True}}
        url = f"{self.router.management_url}/api/v1/eval"
        async with self.router.http.post(url, json=body) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running(images):
    async with openai.AsyncOpenAI(
        base_url=f"{images.router.url}/v1", api_key="sk-client", max_retries=0
    ) as sdk:
        yield Running(images.router, sdk)


def said(text):
    return {"type": "text", "text": text}


def shown(data, form):
    url = f"data:image/{form};base64,{base64.b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def picture(name):
    path = PICTURES / name
    return shown(path.read_bytes(), FORMATS[path.suffix])


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        pytest.param("receipt_pharmacy.jpg", DEFAULT, id="a receipt is none of them"),
        pytest.param("chart_bars.gif", DEFAULT, id="a chart is none of them"),
        pytest.param("handwriting_recipe.webp", DEFAULT, id="handwriting is none of them"),
        pytest.param("id_passport.jpg", PRIVATE, id="passport"),
        pytest.param("id_card.png", PRIVATE, id="identity card with an alpha channel"),
        pytest.param("id_driving_licence.jpg", PRIVATE, id="driving licence turned by its EXIF"),
        pytest.param("id_passport_booklet.webp", PRIVATE, id="booklet in webp"),
        pytest.param("id_badge.gif", PRIVATE, id="badge in gif"),
        pytest.param("code_editor_dark.png", CODE, id="dark editor"),
        pytest.param("code_photo.jpg", CODE, id="photo of code"),
        pytest.param("terminal_log.webp", CODE, id="log in a terminal"),
        pytest.param("terminal_tabbed.png", CODE, id="terminal with tabs"),
    ],
)
async def test_a_picture_of_a_family_decides(running, name, answer):
    content, headers = await running.ask([said("What do you see here?"), picture(name)])

    assert content == answer
    assert "x-tsr-signals-unknown" not in headers


@pytest.mark.parametrize(
    "name",
    [
        "photo_coffee.jpg",
        "photo_portrait.jpg",
        "scene_room.png",
        "pattern_noise.png",
        "icon_animal.png",
        "text_on_photo_passport.jpg",
    ],
)
async def test_a_picture_of_no_family_goes_to_the_default_and_says_why(running, name):
    parts = [said("What do you see here?"), picture(name)]

    content, headers = await running.ask(parts)
    explained = await running.explained(parts)

    assert content == DEFAULT
    assert headers["x-tsr-signals-unknown"] == "embedding"
    assert explained["signals_unknown"] == dict.fromkeys(RULES, "unfamiliar_image")
    assert explained["signal_errors"] == {}


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(shown((PICTURES / "id_card.png").read_bytes()[:300], "png"), id="cut short"),
        pytest.param(shown(b"%PDF-1.7 a passport", "png"), id="no picture"),
        pytest.param(shown((PICTURES / "id_card.png").read_bytes(), "gif"), id="misdeclared"),
    ],
)
async def test_a_picture_that_is_not_read_goes_nowhere_and_the_answer_says_why(running, part):
    with pytest.raises(
        openai.BadRequestError, match="image 1 of the request is not read"
    ) as caught:
        await running.ask([said("What do you see here?"), part])

    assert caught.value.code == "image_refused"


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([picture("receipt_pharmacy.jpg")] * 8 + [picture("id_card.png")], id="ninth"),
        pytest.param(
            [{"type": "image_url", "image_url": {"url": "https://example.org/id.png"}}], id="a URL"
        ),
    ],
)
async def test_a_picture_that_nobody_looks_at_is_told(running, parts):
    explained = await running.explained([said("What do you see here?"), *parts])

    assert explained["signals_unknown"] == dict.fromkeys(RULES, "pictures_not_seen")


FAULT = said("What is wrong with my code?")


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        pytest.param([FAULT], DEFAULT, id="the text alone"),
        pytest.param([FAULT, picture("photo_coffee.jpg")], DEFAULT, id="beside a photograph"),
        pytest.param([picture("code_editor_dark.png")], CODE, id="code alone"),
        pytest.param([FAULT, picture("code_editor_dark.png")], DEBUG, id="beside code"),
        pytest.param([FAULT, picture("terminal_log.webp")], DEBUG, id="beside a terminal"),
        pytest.param([FAULT, picture("id_passport.jpg")], PRIVATE, id="beside a passport"),
        pytest.param(
            [FAULT, picture("photo_coffee.jpg"), picture("id_passport.jpg")],
            PRIVATE,
            id="the second picture is a passport",
        ),
    ],
)
async def test_text_and_pictures_decide_together(running, parts, answer):
    assert (await running.ask(parts))[0] == answer


async def test_its_probes_pass(running):
    probing = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "orchestrator", "probe", "configs/images.probes.yaml"),
        *("--url", running.router.management_url),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await probing.communicate()

    assert probing.returncode == 0, output.decode()
    assert b"not accepted" not in output
