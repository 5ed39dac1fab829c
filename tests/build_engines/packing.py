"""The inputs of a text network as its CPU form reads them."""

import numpy as np


def packed(rows):
    """`rows` of token ids, written out row by row."""
    longest = max(map(len, rows))
    ids, grid, place = [], [], []
    for at, row in enumerate(rows):
        grid.append([len(ids) + column for column in range(len(row))])
        grid[-1] += [-1] * (longest - len(row))
        place += [at * longest + column for column in range(len(row))]
        ids += row
    values = {"input_ids": ids, "grid": grid, "place": place}
    return {name: np.asarray(value, np.int64) for name, value in values.items()}
