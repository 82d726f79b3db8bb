"""What can be imported from `course_lib.data` itself."""

from importlib import import_module

import pytest

from course_lib import data


def test_each_name_is_that_of_its_module():
    """Rejects a name that its module has not, and one that Tab completion does not offer."""
    for name in data.__all__:
        assert getattr(data, name) is getattr(import_module(f"course_lib.data.{data.MODULES[name]}"), name)
        assert name in dir(data)
    with pytest.raises(ImportError, match="no_such_thing"):
        exec("from course_lib.data import no_such_thing", {})
