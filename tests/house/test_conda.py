"""Both doors lead to the same environment: environment.yml (conda), the lock (pip) and pyproject.toml agree."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as plain
from packaging.version import Version

from .files import HOME, none

CONDA_NAME = {"torch": "pytorch", "matplotlib": "matplotlib-base"}  # where conda-forge's name is another one
BESIDE = {"python", "pip", "make"}  # what pip's door expects to be there already


def declared():
    """{name: requirement} of pyproject.toml, the extras included."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    requirements = map(Requirement, [*project["dependencies"], *(text for extra in extras for text in extra)])
    return {plain(requirement.name): requirement for requirement in requirements}


def locked(text):
    """{name: version} of a lock."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, re.MULTILINE))


def conda(text):
    """({name: version} from conda-forge, {name: version} from pip) of an environment.yml, by pip's names."""
    entries = yaml.safe_load(text)["dependencies"]
    pip_name = {conda_name: name for name, conda_name in CONDA_NAME.items()}
    pairs = (entry.split("=")[:2] for entry in entries if isinstance(entry, str) and entry not in BESIDE)
    from_conda = {pip_name.get(name, plain(name)): version for name, version in pairs if name not in BESIDE}
    pip_lines = next(entry["pip"] for entry in entries if isinstance(entry, dict))
    from_pip = (line.split("==") for line in pip_lines if not line.startswith("-e "))
    return from_conda, {plain(name): version for name, version in from_pip}


def differences(requirements, lock, environment):
    """Where the three do not agree: packages that are missing, unknown, or of another version."""
    versions, (from_conda, from_pip) = locked(lock), conda(environment)
    both = from_conda | from_pip
    yield from (f"environment.yml lacks {name}" for name in sorted(requirements.keys() - both.keys()))
    yield from (
        f"environment.yml has {name}, pyproject.toml has not" for name in sorted(both.keys() - requirements.keys())
    )
    for name, requirement in requirements.items():
        version = versions.get(name)
        if version is None:
            yield f"requirements.lock lacks {name}: make lock"
        elif not requirement.specifier.contains(Version(version), prereleases=True):
            yield f"requirements.lock has {name} {version}, pyproject.toml asks for {requirement.specifier}: make lock"
        elif name in both and not f"{version}.".startswith(f"{both[name]}."):
            yield f"environment.yml has {name} {both[name]}, requirements.lock {version}"


def read(name):
    """The text of a file at the top."""
    return (HOME / name).read_text(encoding="utf-8")


def test_the_two_doors_lead_to_the_same_environment():
    none(differences(declared(), read("requirements.lock"), read("environment.yml")))


def test_torch_is_the_build_for_the_cpu():
    assert re.search(r"- pytorch=[\d.]+=cpu", read("environment.yml"))
    assert locked(read("requirements.lock"))["torch"] == "2.13.0"


def test_the_lock_names_exact_versions_for_every_platform():
    """Rejects a lock of one machine: builds (+cpu), paths, hosts, CUDA packages, editable installs, an editing tool."""
    lines = [line for line in read("requirements.lock").splitlines() if not line.startswith("#")]
    exact = re.compile(r'[a-z0-9-]+==[\w.]+( ; sys_platform [!=]= "(linux|darwin|win32)")?')
    none(
        line
        for line in lines
        if not exact.fullmatch(line) or line.startswith(("nvidia-", "cuda-", "triton", "jupytext"))
    )
    names = [line.partition("==")[0] for line in lines]
    assert names == sorted(names)


def test_the_lock_brings_what_installs_the_library():
    """`make lab` installs course_lib without build isolation, so that a change of pyproject.toml needs no network."""
    needed = map(Requirement, tomllib.loads(read("pyproject.toml"))["build-system"]["requires"])
    versions = locked(read("requirements.lock"))
    none(str(one) for one in needed if not one.specifier.contains(versions.get(one.name, "0")))


def test_conda_installs_the_library_itself():
    assert "-e ." in read("environment.yml")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("environment.yml", "  - einops=0.8\n", ""),
        ("environment.yml", "  - einops=0.8\n", "  - einops=0.8\n  - pandas=2.0\n"),
        ("environment.yml", "pytorch=2.13.0", "pytorch=2.12.0"),
        ("environment.yml", "numpy=2.4", "numpy=2.40"),
        ("environment.yml", "zh-CN==4.5.post3", "zh-CN==4.5.post2"),
        ("requirements.lock", "\nruff==", "\nrough=="),
        ("requirements.lock", "\npytest==9", "\npytest==8.2.9"),
    ],
)
def test_a_difference_is_found(name, old, new):
    texts = {file: read(file) for file in ("requirements.lock", "environment.yml")}
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new)
    assert len(list(differences(declared(), texts["requirements.lock"], texts["environment.yml"]))) == 1
