"""Views that Python drives: controls call a function, the library's or the reader's own; a view draws the result."""

import contextlib
import inspect
import io
import linecache
import sysconfig
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import ipywidgets

from course_lib.show.theme import WORDS
from course_lib.show.view import View

MOST_PRINTED = 2000  # characters
EMPTY = inspect.Parameter.empty
OURS = str(Path(__file__).parent.parent)
LIBRARIES = ("<frozen", OURS, *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")))


class Heard(NamedTuple):
    """What a function returned (None if it failed), and what it said: {"printed": …} and {"error": …}, if anything."""

    result: object
    message: dict[str, str]


def heard(function: Callable, *args, **kwargs) -> Heard:
    """Call a function and catch what it prints, and how it fails, with the line of the reader's code where it did.

    In a slider's callback, a notebook would lose both.
    """
    printed = io.StringIO()
    result, message = None, {}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            message["error"] = in_one_line(error)
    if text := printed.getvalue():
        message["printed"] = text if len(text) <= MOST_PRINTED else f"…{text[-MOST_PRINTED:]}"
    return Heard(result, message)


def in_one_line(error: Exception) -> str:
    """The kind of the error, its text, and the last line of the reader's own that was running."""
    what = f"{type(error).__name__}: {error}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(LIBRARIES)]
    if not frames:
        return what
    line = (frames[-1].line or linecache.getline(frames[-1].filename, frames[-1].lineno)).strip()
    return f"{what}\n    {frames[-1].name}, line {frames[-1].lineno}: {line}"


class Interactive(ipywidgets.VBox):
    """Controls, and below them the view that they change. Made by `interactive`."""

    def __init__(self, function: Callable, view: View, controls: Mapping[str, ipywidgets.Widget]):
        shown = [control for control in controls.values() if isinstance(control, ipywidgets.DOMWidget)]
        super().__init__([ipywidgets.HBox(shown, layout={"flex_flow": "row wrap"}), view])
        self.function, self.view, self.controls = function, view, dict(controls)
        for control in shown:
            control.observe(lambda change: self.recompute(), "value")
        self.recompute()

    def recompute(self) -> None:
        """Call the function with what the controls say; the view draws the result, or says what went wrong."""
        values = {name: control.value for name, control in self.controls.items()}

        def draw() -> None:
            result = self.function(**values)
            self.view.update(**result) if isinstance(result, Mapping) else self.view.update(result)

        self.view.message = heard(draw).message

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data = super()._repr_mimebundle_(**kwargs)
        pictures, described = self.view._repr_mimebundle_(**kwargs)
        words = WORDS[self.view.lang]
        settings = ", ".join(f"{name} = {setting(control)}" for name, control in self.controls.items())
        note = f"<p>{words['drawn for']} {settings}. {words['needs Python']}</p>"
        data |= {
            "image/png": pictures["image/png"],
            "text/html": pictures["text/html"] + note,
            "text/plain": repr(self),
        }
        return data, {"image/png": described["image/png"]}

    def __repr__(self) -> str:
        return (
            f"Interactive({getattr(self.function, '__name__', 'function')}: {', '.join(self.controls)} → {self.view!r})"
        )


def setting(control: ipywidgets.Widget) -> str:
    """What a control stands at, in the words of its own list if it has one."""
    label = getattr(control, "label", None)
    return f"{control.value:g}" if isinstance(control.value, float) else str(label or control.value)


def interactive(function: Callable, view: View, **controls) -> Interactive:
    """Let controls call a function, and a view draw what it returns, in place.

    Each control is what `ipywidgets.interactive` takes: (low, high) or (low, high, step) for a slider, a list for a
    choice, True or False, text, or a widget. The function gets their values by name, and returns what the view's
    `update` takes: an array, or a dictionary {"scores": …}. A control starts at the argument's default. What the
    function prints or raises stands below the view; the last picture stays. Where there is no kernel, the view stays
    as it was drawn, and still moves by itself.

    Raises ValueError if the controls are not the function's arguments, or are nothing that a widget can be made of.
    """
    parameters = inspect.signature(function).parameters.values()
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    unknown = set() if anything else set(controls) - {p.name for p in parameters}
    needed = {p.name for p in parameters if p.default is EMPTY and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    if unknown or needed - set(controls):
        raise ValueError(f"controls: expected one for each of {[p.name for p in parameters]}, got {sorted(controls)}.")
    starts = {p.name: p.default for p in parameters}
    widgets = {name: widget_for(name, value, starts.get(name, EMPTY)) for name, value in controls.items()}
    return Interactive(function, view, widgets)


def widget_for(name: str, value: object, start: object) -> ipywidgets.Widget:
    """The widget that ipywidgets makes of this, with its whole name before it; it stands at `start` if that is one."""
    widget = ipywidgets.interactive.widget_from_abbrev(value, start)
    if widget is None:
        raise ValueError(f"{name}: expected (low, high), a list, True or False, text or a widget, got {value!r}.")
    if isinstance(widget, ipywidgets.DOMWidget) and not widget.description:
        widget.description = name
        widget.style = {"description_width": "initial"}
    return widget
