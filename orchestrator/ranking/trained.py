"""Predictors read from JSON artefacts, computed in NumPy: knn, kmeans, svm, mlp.

The layout is that of vllm-project/semantic-router (src/training/model_selection, 2026), whose files
load as they are. `latencies` are nanoseconds. Of knn there are two versions: the first takes
features as they are and the share of the slowest sample, the second unit vectors and seconds. An
svm holds the parameters of scikit-learn's SVC; older files have them at the top level.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import orjson

from orchestrator.errors import ConfigError
from orchestrator.ranking.features import Feature
from orchestrator.ranking.merit import HALF_SPEED, QUALITY, SPEED

Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Document = Mapping[str, Any]

ROUNDING = 1e-12  # of squared distances, as a share of the norms; float64 keeps 2e-16


class Predictor(ABC):
    """`scores` gives each model's; the highest wins, the first of `names` among equals."""

    shares: ClassVar[bool] = True  # scores are at least 0, and more of all of them is surer
    names: tuple[str, ...]
    dimension: int  # of a feature

    @abstractmethod
    def __init__(self, document: Document) -> None:
        """Raises ValueError, KeyError or TypeError for a document of another form."""

    @abstractmethod
    def scores(self, feature: Feature) -> dict[str, float]: ...


def load(path: Path, kind: type[Predictor], algorithm: str) -> Predictor:
    """Raises ConfigError where the file cannot be read, or is no artefact of `algorithm`."""
    try:
        document = orjson.loads(path.read_bytes())
        if document["algorithm"] != algorithm:
            raise ValueError(f"it is one of {document['algorithm']}")
        predictor = kind(document)
        predictor.scores(np.zeros(predictor.dimension))  # parts that do not fit would raise later
        return predictor
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except KeyError as error:
        raise ConfigError(f"{path} is no artefact of {algorithm}: {error} is missing") from None
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{path} is no artefact of {algorithm}: {error}") from None


class Knn(Predictor):
    NANOSECONDS = 1e9

    def __init__(self, document: Document) -> None:
        self._labels = _names(document["labels"])
        count = len(self._labels)
        self._k = min(_positive(document["k"], "k"), count)
        rows = _matrix(document["embeddings"], "embeddings")
        qualities = _column(document.get("qualities") or [0.5] * count, count, "qualities")
        latencies = _column(document.get("latencies") or [0] * count, count, "latencies")
        if len(rows) != count:
            raise ValueError(f"{len(rows)} embeddings and {count} labels")
        self._unit = _version(document) >= 2
        self._rows = _unit(rows) if self._unit else rows
        self._norms = np.einsum("ij,ij->i", self._rows, self._rows)
        if self._unit:
            speed = 1 / (1 + latencies / self.NANOSECONDS / HALF_SPEED)
        else:
            slow, quick = float(latencies.max()), float(latencies.min())
            speed = 1 - (latencies - quick) / max(slow - quick, 1.0)
        self._votes = QUALITY * qualities + SPEED * speed
        self.names = tuple(sorted(set(self._labels)))
        self.dimension = rows.shape[1]

    def scores(self, feature: Feature) -> dict[str, float]:
        asked = _unit(feature) if self._unit else feature
        found = dict.fromkeys(self.names, 0.0)
        for at in self._nearest(asked):
            found[self._labels[at]] += float(self._votes[at])
        return found

    def _nearest(self, asked: Feature) -> Places:
        """The samples with the lowest squared distances, the earlier one among equals."""
        # Less the asked one's own norm, which is the same for all. Rounding must not choose among
        # equals: those that are near enough to the last one are measured exactly.
        roughly = self._norms - 2 * (self._rows @ asked)
        last = np.partition(roughly, self._k - 1)[self._k - 1]
        slack = ROUNDING * (self._norms.max() + asked @ asked)
        near = np.flatnonzero(roughly <= last + slack)
        exactly = ((self._rows[near] - asked) ** 2).sum(axis=1)
        nearest: Places = near[np.argsort(exactly, kind="stable")[: self._k]]
        return nearest


class Kmeans(Predictor):
    shares = False  # negative distances

    def __init__(self, document: Document) -> None:
        self._centroids = _matrix(document["centroids"], "centroids")
        models = document["cluster_models"]
        if isinstance(models, dict):
            models = [models[str(at)] for at in range(len(self._centroids))]
        self._models = _names(models)[: len(self._centroids)]
        if len(self._models) < len(self._centroids):
            raise ValueError(f"{len(self._centroids)} centroids, {len(self._models)} models")
        self.names = tuple(dict.fromkeys(self._models))
        self.dimension = self._centroids.shape[1]

    def scores(self, feature: Feature) -> dict[str, float]:
        """How far the nearest cluster of each model is, negative."""
        distances = np.sqrt(((self._centroids - feature) ** 2).sum(axis=1))
        found: dict[str, float] = {}
        for model, distance in zip(self._models, distances, strict=True):
            found[model] = max(found.get(model, -np.inf), -float(distance))
        return found


class Svm(Predictor):
    """One against one, as libsvm votes (Chang and Lin 2011)."""

    def __init__(self, document: Document) -> None:
        svc = document.get("svc", document)
        self.names = _names(document["model_names"])
        self._linear = _kernel(document) == "linear"
        self._gamma = float(document["gamma"])
        self._vectors = _matrix(svc["support_vectors"], "support_vectors")
        self._dual = _matrix(svc["dual_coef"], "dual_coef")
        count = len(self.names)
        pairs = count * (count - 1) // 2
        self._intercept = _column(svc["intercept"], pairs, "intercept")
        support = [int(number) for number in svc["n_support"]]
        if count < 2 or len(support) != count or sum(support) != len(self._vectors):
            raise ValueError("n_support does not fit model_names and support_vectors")
        if self._dual.shape != (count - 1, len(self._vectors)):
            raise ValueError("dual_coef does not fit support_vectors")
        if document.get("input_normalization", "none") != "none":
            raise ValueError("input_normalization is not none")
        ends = np.cumsum(support)
        self._of = [slice(int(e) - n, int(e)) for e, n in zip(ends, support, strict=True)]
        self.dimension = self._vectors.shape[1]

    def scores(self, feature: Feature) -> dict[str, float]:
        """Votes: how many of the others each model beats."""
        if self._linear:
            kernel = self._vectors @ feature
        else:
            kernel = np.exp(-self._gamma * ((self._vectors - feature) ** 2).sum(axis=1))
        votes = dict.fromkeys(self.names, 0.0)
        pairs = [(i, j) for i in range(len(self.names)) for j in range(i + 1, len(self.names))]
        # scikit-learn turns the signs of a decision between two classes round.
        sign = -1.0 if len(self.names) == 2 else 1.0
        for (i, j), intercept in zip(pairs, self._intercept, strict=True):
            one, two = self._of[i], self._of[j]
            side = self._dual[j - 1, one] @ kernel[one] + self._dual[i, two] @ kernel[two]
            votes[self.names[i if sign * (side + intercept) > 0 else j]] += 1.0
        return votes


class Mlp(Predictor):
    def __init__(self, document: Document) -> None:
        self.names = _names(document["model_names"])
        self._layers = [_layer(one) for one in document["layers"] if one["type"] != "dropout"]
        self.dimension = int(document["feature_dim"])
        width = self.dimension
        for kind, parts in self._layers:
            if kind == "linear":
                if parts[0].shape[1] != width:
                    raise ValueError(f"a layer takes {parts[0].shape[1]} numbers, not {width}")
                width = parts[0].shape[0]
            elif any(part.shape != (width,) for part in parts):  # one number would be broadcast
                raise ValueError(f"a {kind} does not take {width} numbers")
        if width != len(self.names):
            raise ValueError(f"{width} outputs for {len(self.names)} models")

    def scores(self, feature: Feature) -> dict[str, float]:
        """Probabilities."""
        values = feature
        for kind, parts in self._layers:
            if kind == "linear":
                values = parts[0] @ values + parts[1]
            elif kind == "relu":
                values = np.maximum(values, 0.0)
            else:
                values = values * parts[0] + parts[1]
        weights = np.exp(values - values.max())
        found = weights / weights.sum()
        return dict(zip(self.names, map(float, found), strict=True))


def _layer(document: Document) -> tuple[str, tuple[Matrix, ...]]:
    """Batch normalisation becomes a factor and a summand."""
    kind = document["type"]
    if kind == "relu":
        return kind, ()
    if kind == "linear":
        weight = _matrix(document["weight"], "weight")
        bias = document.get("bias")
        return kind, (weight, _column(bias or [0.0] * len(weight), len(weight), "bias"))
    if kind == "batch_norm":
        mean = np.asarray(document["running_mean"], np.float64)
        spread = np.sqrt(np.asarray(document["running_var"], np.float64) + document["eps"])
        given = document.get("weight"), document.get("bias")
        weight = np.ones(len(mean)) if given[0] is None else np.asarray(given[0], np.float64)
        bias = np.zeros(len(mean)) if given[1] is None else np.asarray(given[1], np.float64)
        return kind, (weight / spread, bias - weight * mean / spread)
    raise ValueError(f"unknown layer {kind!r}")


def _matrix(values: object, name: str) -> Matrix:
    found = np.asarray(values, np.float64)
    if found.ndim != 2 or not found.size or not np.isfinite(found).all():
        raise ValueError(f"{name} are no table of finite numbers")
    return found


def _column(values: Sequence[float], count: int, name: str) -> Matrix:
    found = np.asarray(values, np.float64)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise ValueError(f"{name} are not {count} finite numbers")
    return found


def _names(values: object) -> tuple[str, ...]:
    if not (isinstance(values, list) and values and all(isinstance(v, str) for v in values)):
        raise ValueError("models are no list of names")
    return tuple(values)


def _positive(value: object, name: str) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} is no number above 0")
    return value


def _version(document: Document) -> int:
    version = document.get("format_version", 1)
    if version not in (1, 2):
        raise ValueError(f"format_version {version!r} is not known")
    return int(version)


def _kernel(document: Document) -> str:
    kernel = str(document.get("kernel_type", document.get("kernel", "rbf"))).lower()
    if kernel not in ("linear", "rbf"):
        raise ValueError(f"unknown kernel {kernel!r}")
    return kernel


def _unit(rows: Matrix) -> Matrix:
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0), np.float64)
