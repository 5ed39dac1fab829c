"""The fields of a chat request, for an endpoint that refuses what it does not know.

Those of OpenAI's Chat Completions and what vLLM's server takes beside them (2026-11). The chat
endpoint itself asks nobody: what a backend makes of a field is the backend's business.
"""

from __future__ import annotations

from typing import Final

ROUTED: Final = ("messages", "metadata", "model", "options", "text", "tools")
OPENAI: Final = (
    *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"),
    *("max_completion_tokens", "max_tokens", "modalities", "n", "parallel_tool_calls"),
    *("prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_retention"),
    *("reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop"),
    *("store", "stream", "stream_options", "temperature", "tool_choice", "top_logprobs", "top_p"),
    *("user", "verbosity", "web_search_options"),
)
VLLM: Final = (
    *("add_generation_prompt", "add_special_tokens", "allowed_token_ids", "bad_words"),
    *("cache_salt", "chat_template", "chat_template_kwargs", "continue_final_message"),
    *("documents", "echo", "guided_choice", "guided_grammar", "guided_json", "guided_regex"),
    *("ignore_eos", "include_reasoning", "include_stop_str_in_output", "kv_transfer_params"),
    *("length_penalty", "logits_processors", "media_io_kwargs", "min_p", "min_tokens"),
    *("mm_processor_kwargs", "priority", "prompt_logprobs", "repetition_penalty", "request_id"),
    *("return_token_ids", "return_tokens_as_token_ids", "skip_special_tokens"),
    *("spaces_between_special_tokens", "stop_token_ids", "structured_outputs", "top_k"),
    *("truncate_prompt_tokens", "use_beam_search", "vllm_xargs"),
)
KNOWN: Final = frozenset((*ROUTED, *OPENAI, *VLLM))
