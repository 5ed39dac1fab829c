"""The router in front of a real vLLM: protocol, thinking switch and streams, by the OpenAI SDK."""

import asyncio

import openai
import pytest

from tests.processes import LIMIT_S, router

POLICY = """
version: v0.3
providers:
  defaults:
    default_model: small-chat
    reasoning_families:
      qwen3: {{type: chat_template_kwargs, parameter: enable_thinking}}
  models:
    - name: small-chat
      reasoning_family: qwen3
      backend_refs: [{{base_url: "{url}/v1"}}]
    - name: large-reasoner
      reasoning_family: qwen3
      backend_refs: [{{base_url: "{url}/v1"}}]
routing:
  modelCards: [{{name: small-chat}}, {{name: large-reasoner}}]
  signals:
    keywords: [{{name: code, operator: OR, keywords: [python]}}]
  decisions:
    - name: code
      priority: 2
      rules: {{type: keyword, name: code}}
      modelRefs: [{{model: large-reasoner, use_reasoning: true}}]
    - name: default
      priority: 1
      modelRefs: [{{model: small-chat, use_reasoning: false}}]
"""

THINK = "Why does my python script fail?"
CHAT = "Tell me a joke."


@pytest.fixture
async def sdk(request, tmp_path):
    url = request.config.getoption("--vllm")
    if url is None:
        pytest.skip("no vLLM: start one with scripts/vllm-cpu 8001, then pytest --vllm URL")
    async with router(POLICY.format(url=url.rstrip("/")), tmp_path) as running:
        await running.until_ready()
        async with openai.AsyncOpenAI(
            base_url=f"{running.url}/v1", api_key="none", max_retries=0, timeout=LIMIT_S
        ) as client:
            yield client


def ask(sdk, text, **options):
    messages = [{"role": "user", "content": text}]
    asked = {"model": "auto", "max_tokens": 8, "temperature": 0, **options}
    return sdk.chat.completions.with_raw_response.create(messages=messages, **asked)


@pytest.mark.parametrize(
    ("text", "decision", "model"),
    [
        pytest.param(CHAT, "default", "small-chat", id="without thinking"),
        pytest.param(THINK, "code", "large-reasoner", id="thinking"),
    ],
)
async def test_an_answer_and_a_stream(sdk, text, decision, model):
    raw = await ask(sdk, text)
    answer = raw.parse()

    assert raw.headers["x-vsr-selected-decision"] == decision
    assert raw.headers["x-vsr-selected-model"] == model
    assert answer.usage.completion_tokens > 0

    stream = await ask(sdk, text, stream=True, stream_options={"include_usage": True})
    chunks = [chunk async for chunk in stream.parse()]

    # vLLM calls itself by the first of its names, whatever it was asked for.
    assert {chunk.model for chunk in chunks} == {answer.model}
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] in (
        "length",
        "stop",
    )
    assert chunks[-1].usage.completion_tokens == answer.usage.completion_tokens


async def test_the_thinking_switch_reaches_the_chat_template(sdk):
    """Qwen3's template writes an empty thought into the prompt where thinking is off."""

    async def tokens(model, **options):
        answer = (await ask(sdk, THINK, model=model, max_tokens=1, **options)).parse()
        return answer.usage.prompt_tokens

    async def plain(enabled):
        kwargs = {"chat_template_kwargs": {"enable_thinking": enabled}}
        return await tokens("large-reasoner", extra_body=kwargs)

    routed, on, off = await tokens("auto"), await plain(True), await plain(False)
    assert off > on
    assert routed == on


async def test_fields_of_vllm_and_many_requests_at_once(sdk):
    extra = {"top_k": 1, "min_tokens": 3, "chat_template_kwargs": {"made_up": 1}}
    answers = await asyncio.gather(*(ask(sdk, CHAT, extra_body=extra) for _ in range(6)))

    assert {answer.parse().model for answer in answers} == {"small-chat"}


async def test_an_error_of_vllm_arrives_as_it_is(sdk):
    with pytest.raises(openai.BadRequestError):
        await ask(sdk, CHAT, temperature=-5)
