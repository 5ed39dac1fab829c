"""What the served image_preprocess is told, read from its config.pbtxt."""

from pathlib import Path

FOLDER = Path(__file__).parents[3] / "model_repository" / "image_preprocess"
ROWS = (FOLDER / "config.pbtxt").read_text(encoding="utf-8").splitlines()
PARAMETERS = {
    part[1]: part[3] for part in (row.split('"') for row in ROWS if row.startswith("parameters"))
}
BYTES, PIXELS = int(PARAMETERS["max_bytes"]), int(PARAMETERS["max_pixels"])
