import ast
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("pydicom")

from build_engines.kinds import job_of
from build_engines.pictures.picture import Picture
from build_engines.vision import features, lite0, trunk
from build_engines.vision.features import CHUNK, Eye


@pytest.fixture
def eye(tmp_path):
    return Eye(job_of("vision_encoder"), tmp_path / "trunk-1.onnx")


def keep(eye, folder, split, family, start):
    """What a drawn chunk leaves: features that tell its place."""
    path = folder / f"{family}-{features.digests(eye)[family]}" / f"{split}-{start:05}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    places = np.arange(start, start + CHUNK, dtype=np.float32)
    np.savez(
        path,
        features=np.tile(places[:, None], 4),
        names=[f"{split}-{family}-{int(place)}" for place in places],
        kinds=[family] * CHUNK,
        templates=["bare"] * CHUNK,
    )


def test_what_is_kept_is_not_drawn_again(eye, tmp_path):
    for family, start in (("chart", 0), ("chart", CHUNK), ("medical", 0)):
        keep(eye, tmp_path, "test", family, start)

    found = features.rows(eye, tmp_path, {"test": {"chart": 2 * CHUNK, "medical": CHUNK}})["test"]

    assert found.families == ("chart",) * 2 * CHUNK + ("medical",) * CHUNK
    assert found.features[:, 0].tolist() == [*range(2 * CHUNK), *range(CHUNK)]
    assert found.names[CHUNK] == f"test-chart-{CHUNK}"
    assert found.templates[0] == "bare"


def test_a_family_is_kept_by_its_own_modules_and_the_shared_ones():
    shared = {"generate", "camera", "studio", "fonts", "photographs"}

    chart = features._closure((*features._SHARED, "chart"))

    assert shared | {"chart"} <= chart
    assert not {"medical", "receipt", "handwriting", "other"} & chart


def test_another_trunk_is_kept_elsewhere(eye, tmp_path):
    other = Eye(eye.job, tmp_path / "trunk-2.onnx")
    ours, theirs = features.digests(eye), features.digests(other)

    assert ours.keys() == theirs.keys()
    assert not set(ours.values()) & set(theirs.values())


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        pytest.param("# of batch", "# of each batch", True, id="a comment"),
        pytest.param("NUMBERS = 5", "NUMBERS = 4", False, id="other features"),
    ],
)
def test_a_trunk_is_named_by_its_network(tmp_path, old, new, same):
    job = job_of("vision_encoder")
    text = Path(lite0.__file__).read_text()
    assert text.count(old) == 1
    (tmp_path / "lite0.py").write_text(text.replace(old, new))

    assert (trunk.key(job, tmp_path / "lite0.py") == trunk.key(job)) is same


@pytest.mark.parametrize(
    ("code", "same"),
    [
        pytest.param("x = 1  # one", True, id="a comment"),
        pytest.param("x = (\n    1\n)", True, id="another layout"),
        pytest.param("x = 2", False, id="another value"),
    ],
)
def test_only_what_code_means_counts(tmp_path, code, same):
    for name, text in (("a.py", "x = 1"), ("b.py", code)):
        (tmp_path / name).write_text(text)

    left, right = (features.meaning(tmp_path / name) for name in ("a.py", "b.py"))

    assert (left == right) is same


def test_imports_of_the_package_are_followed_in_both_forms():
    tree = ast.parse(
        "import math\n"
        "from PIL import Image\n"
        "from build_engines.pictures import photographs, screens\n"
        "from build_engines.pictures.faces import face\n"
    )

    assert {"photographs", "screens", "faces"} <= set(features._imported(tree))


def test_pictures_are_encoded_without_loss():
    image = Image.effect_noise((96, 40), 80).convert("RGB")
    picture = Picture("a", "chart", image, (), "generated", "Apache-2.0")

    with Image.open(io.BytesIO(features._png(picture))) as again:
        assert again.tobytes() == image.tobytes()
