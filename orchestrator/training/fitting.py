"""Trains each algorithm with scikit-learn and writes its artefact (`ranking/trained.py`).

knn keeps every outcome; its k counts outcomes, and is five requests' worth, since one that cuts
through the outcomes of a request would leave out models by their order in the file. kmeans groups
the requests and gives each group the model with the highest mean score there (the reference adds
up, so that whoever was tried most often wins). svm and mlp learn which model did best with a
request. Seeds are fixed: equal data give equal artefacts.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from orchestrator.errors import ConfigError, RouterError
from orchestrator.ranking.trained import Kmeans, Knn, Mlp, Predictor, Svm
from orchestrator.selection import trained
from orchestrator.training.outcomes import Lesson

NEIGHBOURS = 5  # requests; each counts with what every model did with it
GROUPS = 8
HIDDEN = (64, 32)
SEED = 17
EXTRA = "scikit-learn is not installed: pip install 'triton-semantic-router[selectors]'"

Document = dict[str, Any]


class Parts(NamedTuple):
    """What an algorithm's own artefact says, of which models, and scikit-learn's estimator."""

    document: Document
    models: Sequence[str]
    estimator: Any


class Fitted(NamedTuple):
    """`estimator` is scikit-learn's own, to compare with."""

    document: Document
    estimator: Any


def fit(algorithm: str, some: Sequence[Lesson]) -> Fitted:
    """Raises ConfigError where the outcomes are too few, RouterError without scikit-learn."""
    models = {one.model for lesson in some for one in lesson.outcomes}
    if len(models) < 2:
        raise ConfigError(f"the outcomes are of {len(models)} model(s); there is nothing to choose")
    kind = trained_kind(algorithm)
    parts = FITTINGS[kind](some)
    head = {
        "algorithm": algorithm,
        "format_version": 2,
        "trained": True,
        "model_names": sorted(set(parts.models)),
        "feature_dim": len(some[0].feature),
    }
    return Fitted({**head, **parts.document}, parts.estimator)


def trained_kind(algorithm: str) -> type[Predictor]:
    """Raises ConfigError for one that is not trained."""
    kinds = trained()
    if algorithm not in kinds:
        known = ", ".join(kinds)
        raise ConfigError(f"{algorithm!r} is no algorithm that is trained; known: {known}")
    return kinds[algorithm]


def _knn(some: Sequence[Lesson]) -> Parts:
    pairs = [(lesson.feature, one) for lesson in some for one in lesson.outcomes]
    rows = np.array([feature for feature, _ in pairs])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    k = NEIGHBOURS * len({one.model for _, one in pairs})
    count = min(k, len(pairs))
    estimator = _sklearn("neighbors").NearestNeighbors(n_neighbors=count).fit(unit)
    document = {
        "k": k,
        "embeddings": rows.tolist(),
        "labels": [one.model for _, one in pairs],
        "qualities": [one.quality for _, one in pairs],
        "latencies": [round(one.latency * 1e9) for _, one in pairs],
    }
    return Parts(document, [one.model for _, one in pairs], estimator)


def _kmeans(some: Sequence[Lesson]) -> Parts:
    rows = _rows(some)
    distinct = len(np.unique(rows, axis=0))
    estimator = _sklearn("cluster").KMeans(
        n_clusters=min(GROUPS, distinct), n_init=10, random_state=SEED
    )
    groups = estimator.fit_predict(rows)
    found: dict[int, dict[str, list[float]]] = {}
    for group, lesson in zip(groups, some, strict=True):
        for model, score in lesson.scores().items():
            found.setdefault(int(group), {}).setdefault(model, []).append(score)
    models = [
        max(sorted(found[at]), key=lambda model, at=at: float(np.mean(found[at][model])))  # type: ignore[misc]
        for at in range(estimator.n_clusters)
    ]
    document = {
        "num_clusters": estimator.n_clusters,
        "centroids": estimator.cluster_centers_.tolist(),
        "cluster_models": models,
    }
    return Parts(document, models, estimator)


def _svm(some: Sequence[Lesson]) -> Parts:
    rows, best = _rows(some), _several(some)
    estimator = _sklearn("svm").SVC(kernel="rbf", gamma=1.0, random_state=SEED).fit(rows, best)
    document = {
        "kernel_type": "Rbf",
        "gamma": float(estimator.gamma),
        "input_normalization": "none",
        "svc": {
            "support_vectors": estimator.support_vectors_.tolist(),
            "dual_coef": estimator.dual_coef_.tolist(),
            "intercept": estimator.intercept_.tolist(),
            "n_support": estimator.n_support_.tolist(),
        },
    }
    return Parts(document, estimator.classes_.tolist(), estimator)


def _mlp(some: Sequence[Lesson]) -> Parts:
    rows, best = _rows(some), _several(some)
    network = _sklearn("neural_network")
    estimator = network.MLPClassifier(HIDDEN, alpha=1e-3, max_iter=300, random_state=SEED)
    with warnings.catch_warnings():
        # A network that has not settled after so many rounds is good enough, or the trial shows it.
        warnings.simplefilter("ignore", _sklearn("exceptions").ConvergenceWarning)
        estimator.fit(rows, best)
    layers: list[Document] = []
    for at, (weight, bias) in enumerate(
        zip(estimator.coefs_, estimator.intercepts_, strict=True), 1
    ):
        weight = weight.T
        if at == len(estimator.coefs_) and len(weight) == 1:
            # Between two classes there is one output, and its sign decides.
            weight, bias = np.vstack([0 * weight, weight]), np.concatenate([[0.0], bias])
        layers.append({"type": "linear", "weight": weight.tolist(), "bias": bias.tolist()})
        if at < len(estimator.coefs_):
            layers.append({"type": "relu"})
    document = {"layers": layers, "hidden_sizes": list(HIDDEN)}
    return Parts(document, estimator.classes_.tolist(), estimator)


# By what reads the artefact; what that is called is its selector's affair.
FITTINGS: dict[type[Predictor], Callable[[Sequence[Lesson]], Parts]] = {
    Knn: _knn,
    Kmeans: _kmeans,
    Svm: _svm,
    Mlp: _mlp,
}


def _rows(some: Sequence[Lesson]) -> npt.NDArray[np.float64]:
    return np.array([lesson.feature for lesson in some])


def _several(some: Sequence[Lesson]) -> list[str]:
    best = [lesson.best for lesson in some]
    if len(set(best)) < 2:
        raise ConfigError(f"{best[0]} did best with every request; there is nothing to learn")
    return best


def require() -> None:
    """Raises what `fit` raises where scikit-learn is missing, before anything costly is begun."""
    _sklearn("base")


def _sklearn(module: str) -> Any:  # noqa: ANN401 - a module without types
    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError:
        raise RouterError(EXTRA) from None
