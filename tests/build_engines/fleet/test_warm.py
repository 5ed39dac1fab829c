"""What an engine is warmed with: real tokens, framed as a text is, as long as its bucket."""

import numpy as np
import pytest
from tokenizers import Tokenizer

from build_engines.fleet import warm
from build_engines.gpu.spec import GpuText
from build_engines.kinds import job_of

TOKENIZER = job_of("text_embedding").target / "tokenizer.json"


@pytest.mark.parametrize("size", [8, 32, 256])
def test_a_sequence_is_one_of_the_tokenizer(size):
    tokenizer = Tokenizer.from_file(str(TOKENIZER))

    found = warm.sequence(TOKENIZER, size)

    assert len(found) == size
    assert [tokenizer.id_to_token(found[at]) for at in (0, -1)] == ["[CLS]", "[SEP]"]
    assert tokenizer.token_to_id("[UNK]") not in found
    assert len(set(found)) > min(size, 20) // 2


def test_files_have_the_shapes_of_the_samples():
    gpu = GpuText(lengths=(8, 16), windows=3, batch=4, optimal=2)

    files = warm.files(gpu, TOKENIZER)

    used = set()
    for sample in warm.samples(gpu):
        for tensor, name in sample.files.items():
            values = np.frombuffer(files[name], "<i4").reshape(tensor.dims)
            used.add(name)
            if tensor.name == "LENGTHS":
                assert (values == int(name.rpartition("x")[2])).all()
    assert used == files.keys()


def test_one_window_is_warmed_once():
    gpu = GpuText(lengths=(8,), windows=1, batch=1, optimal=1)

    assert [sample.name for sample in warm.samples(gpu)] == ["1 x 8 tokens, batch 1"]
