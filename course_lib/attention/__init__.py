"""The mathematics of attention.

One kernel, `core.attention`; a variant is what it passes to the kernel: a score, a mask, a bias.
Letters: queries q (index i), keys k (index j), values v; `scores` before the softmax, `weights` after it.
A mask is boolean and True means "may attend".
"""

from course_lib.attention.core import AttentionOutput, attention, masked_softmax

__all__ = ["AttentionOutput", "attention", "masked_softmax"]
