"""pyproject.toml, requirements.lock (pip) and environment.yml (conda) describe the same environment."""

import re
import tomllib
from importlib.metadata import distributions

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from .files import HOME, none

PIP_NAME = {"pytorch": "torch", "matplotlib-base": "matplotlib"}  # where conda-forge's name is another one
LINES = [line for line in (HOME / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
LOCKED = dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", "\n".join(LINES), re.MULTILINE))
PYPROJECT = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))


def declared():
    """Return {name: requirement} of pyproject.toml, with the extras and what builds the course."""
    project = PYPROJECT["project"]
    texts = [*project["dependencies"], *PYPROJECT["build-system"]["requires"]]
    texts += [text for extra in project["optional-dependencies"].values() for text in extra]
    return {canonicalize_name(one.name): one for one in map(Requirement, texts)}


def test_the_lock_has_what_pyproject_asks_for():
    """The course is installed without build isolation, so what builds it must be in the lock, too."""
    none(f"{one}, locked: {LOCKED.get(n)}" for n, one in declared().items() if LOCKED.get(n, "0") not in one.specifier)


def test_conda_has_the_versions_of_the_lock():
    """Rejects a package that is missing, unknown, or of another version."""
    *conda, pip = yaml.safe_load((HOME / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    entries = [re.split("=+", entry)[:2] for entry in [*conda, *pip["pip"]] if "=" in entry]
    found = {PIP_NAME.get(name, canonicalize_name(name)): version for name, version in entries if name != "python"}
    assert found.keys() == declared().keys() - {"setuptools"}
    none(f"{n}: {v}, not {LOCKED[n]}" for n, v in found.items() if not f"{LOCKED[n]}.".startswith(f"{v}."))
    assert pip["pip"][-1] == "-e ."


def test_the_lock_fits_every_platform_and_debians_python():
    """Rejects builds of one machine (+cpu, CUDA), and packages that Python 3.11.2 cannot install."""
    exact = re.compile(r'[a-z0-9-]+==[\w.]+( ; sys_platform [!=]= "(linux|darwin|win32)")?')
    none(line for line in LINES if not exact.fullmatch(line) or line.startswith(("nvidia-", "cuda-", "triton")))
    here = [found for found in distributions() if LOCKED.get(canonicalize_name(found.name)) == found.version]
    asked = {found.name: found.metadata.get("Requires-Python") or "" for found in here}
    none(f"{name}: {versions}" for name, versions in asked.items() if "3.11.2" not in SpecifierSet(versions))
