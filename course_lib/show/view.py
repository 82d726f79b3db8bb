"""What all live views have in common: they show themselves in any place where a notebook is read."""

import base64
from typing import ClassVar

import anywidget

from course_lib.show.page import STYLE_SHEET, page, picture_and_frame
from course_lib.show.picture import Picture


class View(anywidget.AnyWidget):
    """A widget drawn by the browser, with a still picture and a page of its own for places without a kernel.

    A view names its JavaScript (`_esm = module(*files)`), `_carried`, the traits that its page carries along, and
    `_frame_title`; and it says how it looks as a `picture()`.
    """

    _css = STYLE_SHEET
    _carried: ClassVar[tuple[str, ...]] = ()
    _frame_title: ClassVar[str] = ""

    def picture(self) -> Picture:
        """The view as it stands, as a still picture."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The view as a page that can be saved and opened anywhere, without a network."""
        return page(self._frame_title, self._esm, {name: getattr(self, name) for name in self._carried})

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        still = self.picture()
        png = still.png()
        data["image/png"] = base64.b64encode(png).decode()
        data["text/html"] = picture_and_frame(png, still.text, self.to_html(), self._frame_title)
        return data, {**metadata, "image/png": {"alt": still.text}}
