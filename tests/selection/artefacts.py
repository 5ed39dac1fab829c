"""Artefacts of two numbers a feature, small enough to reckon by hand."""

import json

KNN = {
    "algorithm": "knn",
    "trained": True,
    "k": 3,
    "embeddings": [[0, 0], [0, 1], [1, 0], [9, 9]],
    "labels": ["small", "small", "large", "large"],
    "qualities": [0.2, 0.3, 0.9, 1.0],
    "latencies": [1e9, 1e9, 3e9, 5e9],
}
KMEANS = {
    "algorithm": "kmeans",
    "trained": True,
    "num_clusters": 3,
    "centroids": [[0, 0], [10, 0], [0, 4]],
    "cluster_models": ["small", "large", "small"],
}
# Between (1, 0) for `small` and (-1, 0) for `large` alone; every parameter is scikit-learn's own.
SVM = {
    "algorithm": "svm",
    "format_version": 2,
    "model_names": ["large", "small"],
    "kernel_type": "Linear",
    "gamma": 1.0,
    "svc": {
        "support_vectors": [[-1.0, 0.0], [1.0, 0.0]],
        "dual_coef": [[-0.5, 0.5]],
        "intercept": [0.0],
        "n_support": [1, 1],
    },
}
MLP = {
    "algorithm": "mlp",
    "model_names": ["large", "small"],
    "feature_dim": 2,
    "layers": [
        {"type": "linear", "weight": [[1.0, -1.0]], "bias": [0.5]},
        {"type": "relu"},
        {
            "type": "batch_norm",
            "weight": [2.0],
            "bias": [1.0],
            "running_mean": [0.5],
            "running_var": [3.0],
            "eps": 1.0,
        },
        {"type": "dropout", "p": 0.1},
        {"type": "linear", "weight": [[1.0], [-1.0]], "bias": None},
    ],
}
DOCUMENTS = {one["algorithm"]: one for one in (KNN, KMEANS, SVM, MLP)}


def saved(folder, document):
    """The file; its folder is what `models_path` names."""
    path = folder / f"{document['algorithm']}_model.json"
    path.write_text(json.dumps(document))
    return path
