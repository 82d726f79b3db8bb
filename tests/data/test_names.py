"""What can be imported from `course_lib.data` itself: the names are there, and a module is imported when asked for."""

from importlib import import_module

import pytest

from course_lib import data


@pytest.mark.parametrize("name", data.__all__)
def test_a_name_is_its_modules(name):
    """Rejects a name whose module has no such thing, and one that a reader does not find with the Tab key."""
    assert getattr(data, name) is getattr(import_module(f"course_lib.data.{data.MODULES[name]}"), name)
    assert name in dir(data)


def test_an_unknown_name_is_an_error():
    """Rejects a None that fails only where it is used."""
    with pytest.raises(ImportError, match="no_such_thing"):
        exec("from course_lib.data import no_such_thing", {})
