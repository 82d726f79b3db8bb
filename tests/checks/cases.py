"""The inputs of a check."""

import numpy as np


def inputs(check):
    """The arguments of all its cases."""
    return check.cases(np.random.default_rng(0)).values()
