"""Views that Python drives: controls call a function, and a view draws its result."""

import contextlib
import inspect
import io
import linecache
import sysconfig
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

import ipywidgets

from course_lib.show.view import View

MOST_PRINTED = 2000  # characters
EMPTY = inspect.Parameter.empty
OURS = str(Path(__file__).parent.parent)
LIBRARIES = ("<frozen", OURS, *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")))


def captured(function: Callable, *args, **kwargs) -> tuple[object, dict[str, str]]:
    """What a function returns (None if it fails), and a message {printed, error} with its output and its error.

    In a control's callback, a notebook would lose both.
    """
    printed = io.StringIO()
    result, message = None, {}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            message["error"] = summary(error)
    if text := printed.getvalue():
        message["printed"] = text if len(text) <= MOST_PRINTED else f"…{text[-MOST_PRINTED:]}"
    return result, message


def summary(error: Exception) -> str:
    """The type and text of an error, and the last line of the reader's own code in its traceback."""
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
        """Call the function with the values of the controls; the view draws the result or shows the error."""
        values = {name: control.value for name, control in self.controls.items()}

        def draw() -> None:
            result = self.function(**values)
            self.view.update(**result) if isinstance(result, Mapping) else self.view.update(result)

        self.view.message = captured(draw)[1]

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data = super()._repr_mimebundle_(**kwargs)
        static, about = self.view._static()
        words = self.view.all_words
        settings = ", ".join(f"{name} = {setting(control)}" for name, control in self.controls.items())
        note = f"<p>{words['drawn for']} {settings}. {words['needs Python']}</p>"
        return data | static | {"text/html": static["text/html"] + note, "text/plain": repr(self)}, about

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", "function")
        return f"Interactive({name}: {', '.join(self.controls)} → {self.view!r})"


def setting(control: ipywidgets.Widget) -> str:
    """The value of a control, or its label in a list of options."""
    label = getattr(control, "label", None)
    return f"{control.value:g}" if isinstance(control.value, float) else str(label or control.value)


def interactive(function: Callable, view: View, **controls) -> Interactive:
    """Let controls call a function, and a view draw its result in place.

    Each control is what `ipywidgets.interactive` takes: (low, high) or (low, high, step) for a slider, a list for a
    menu, True or False, text, or a widget. The function gets their values by name, and returns the arguments of the
    view's `update`: an array, or a dictionary {"scores": …}. A control starts at the argument's default. Output and
    errors of the function are shown below the view, and the last picture stays. Without a kernel, the view stays as it
    was drawn, and its own controls still work.

    Raises ValueError if the controls are not the function's arguments, or if no widget can be made of one.
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
    """The widget that ipywidgets makes of an abbreviation, labelled with its whole name; it starts at `start`."""
    widget = ipywidgets.interactive.widget_from_abbrev(value, start)
    if widget is None:
        raise ValueError(f"{name}: expected (low, high), a list, True or False, text or a widget, got {value!r}.")
    if isinstance(widget, ipywidgets.DOMWidget) and not widget.description:
        widget.description = name
        widget.style = {"description_width": "initial"}
    return widget
