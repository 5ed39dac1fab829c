"""Write a tiny random Qwen3 checkpoint with a byte-level tokenizer and a thinking chat template."""

import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
)


def main(folder: Path) -> None:
    special = ["<|im_start|>", "<|im_end|>"]
    vocabulary = {token: i for i, token in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        additional_special_tokens=special,
        chat_template=TEMPLATE,
    )
    config = Qwen3Config(
        vocab_size=len(fast),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,  # the smallest that every CPU attention kernel of vLLM takes
        max_position_embeddings=2048,
        eos_token_id=fast.eos_token_id,
    )
    folder.mkdir(parents=True, exist_ok=True)
    Qwen3ForCausalLM(config).save_pretrained(folder)
    fast.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
