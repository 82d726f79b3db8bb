"""Figures and live views for notebooks, each shown as the last expression of a cell.

Arguments are arrays (NumPy, PyTorch or nested lists) and lists of words, never models.
"""

from course_lib.show.attention_view import AttentionView
from course_lib.show.curves import curves
from course_lib.show.figures import bars, columns
from course_lib.show.fonts import add_font
from course_lib.show.heatmap import heatmap, heatmaps
from course_lib.show.interactive import interactive
from course_lib.show.picture import Picture
from course_lib.show.plane import points
from course_lib.show.predict_view import PredictView
from course_lib.show.soft_lookup_view import SoftLookupView
from course_lib.show.unrolled_view import UnrolledView

__all__ = [
    "AttentionView",
    "Picture",
    "PredictView",
    "SoftLookupView",
    "UnrolledView",
    "add_font",
    "bars",
    "columns",
    "curves",
    "heatmap",
    "heatmaps",
    "interactive",
    "points",
]
