"""What the lab does to a notebook that it saves or exports: what lasts stays, what needs a kernel or could run goes.

And what it does with the course's exercises: they can be read, and lead to the student's own copy.
"""

import asyncio
import copy
import os
import re
import runpy
from concurrent.futures import ThreadPoolExecutor

import pytest
from nbformat import from_dict, reads, writes
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tornado.web import HTTPError
from traitlets.config import Config

from course_lib.show.page import picture_and_frame
from scripts.environment import LAB_SETTINGS, clean_variables
from scripts.notebooks import VIEW, without_widget

LIVE = {"model_id": "b3", "version_major": 2, "version_minor": 0}


def run_settings():
    """What Jupyter Server reads from its configuration, and what the file defines."""
    config = Config()
    return config, runpy.run_path(
        os.path.join(LAB_SETTINGS, "jupyter_server_config.py"), {"get_config": lambda: config}
    )


@pytest.fixture
def settings():
    """What Jupyter Server reads from its configuration."""
    return run_settings()[0]


@pytest.fixture
def hook():
    """What is called before a notebook is saved."""
    return run_settings()[1]["without_live_views"]


def saved(hook, *outputs, **metadata):
    """The notebook that is written to disk, of one cell with these outputs."""
    cells = [new_markdown_cell("words"), new_code_cell("view", outputs=list(outputs))]
    model = {"type": "notebook", "content": new_notebook(cells=cells, metadata=metadata)}
    hook(model)
    return model["content"]


@pytest.mark.parametrize("lasting", [{"text/html": "<img>"}, {"image/png": "aGk="}])
def test_a_view_keeps_what_can_be_seen_without_its_kernel(hook, lasting):
    words = {"image/png": {"alt": "words"}}
    output = new_output("display_data", {VIEW: LIVE, "text/plain": "x", **lasting}, metadata={VIEW: {}, **words})
    (kept,) = saved(hook, output).cells[1].outputs
    assert kept.data == {"text/plain": "x", **lasting}
    assert kept.metadata == words


def test_it_is_what_make_notebooks_does(hook):
    """Rejects a file saved by hand that differs from the committed one in its views."""
    output = new_output("display_data", {VIEW: LIVE, "text/html": "<img>"}, metadata={VIEW: {}})
    committed = from_dict(copy.deepcopy(output))
    without_widget(committed)
    assert saved(hook, output).cells[1].outputs == [committed]


def test_a_widget_without_a_picture_stays(hook):
    """It has nothing else to show, and works again when the page is loaded anew beside the running kernel."""
    output = new_output("display_data", {VIEW: LIVE, "text/plain": "IntSlider(value=0)"})
    assert saved(hook, copy.deepcopy(output)).cells[1].outputs == [output]


def test_the_state_of_widgets_is_never_saved(hook):
    kernel = {"name": "python3", "display_name": "Python 3"}
    assert saved(hook, widgets={"state": {}}, kernelspec=kernel).metadata == {"kernelspec": kernel}


def test_other_outputs_stay_as_they_are(hook):
    outputs = [
        new_output("stream", text="1"),
        new_output("error", ename="E", evalue="no", traceback=[]),
        new_output("execute_result", {"text/html": "<b>"}, execution_count=1),
    ]
    assert saved(hook, *copy.deepcopy(outputs)).cells[1].outputs == outputs


@pytest.mark.parametrize("model", [{"type": "file", "content": "x"}, {"type": "directory"}, {"type": "notebook"}])
def test_other_files_stay_as_they_are(hook, model):
    before = copy.deepcopy(model)
    hook(model)
    assert model == before


def test_jupyter_finds_it_beside_the_readers_own_configuration(monkeypatch):
    monkeypatch.delenv("JUPYTER_CONFIG_PATH", raising=False)
    assert clean_variables()["JUPYTER_CONFIG_PATH"] == LAB_SETTINGS
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "own")
    assert clean_variables()["JUPYTER_CONFIG_PATH"] == os.pathsep.join([LAB_SETTINGS, "own"])


# ── Pages that JupyterLab was asked to sanitize ───────────────────────────────────────────────────────────────────────


@pytest.fixture
def clean_html(settings):
    """How a page is sanitized."""
    return settings.HTMLExporter.filters["clean_html"]


@pytest.mark.parametrize(
    "kept",
    [
        '<h2 id="a">A &amp; b</h2><p>$a &lt; b$ <em>c</em> <kbd>Shift</kbd></p>',
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
        "<details><summary>Hint</summary><p>x</p></details>",
        '<img alt="a &gt; b" src="data:image/png;base64,aGk=" width="3">',
        '<a href="https://example.org" title="x">a</a>',
    ],
)
def test_what_chapters_are_made_of_stays(clean_html, kept):
    """Rejects nbconvert's own function, which shows headings and pictures as their source."""
    assert clean_html(kept).replace("a > b", "a &gt; b") == kept


@pytest.mark.parametrize(
    "wrong",
    [
        "<script>1</script>",
        "<iframe src='https://example.org'></iframe>",
        '<iframe title="x" style="" onload="1" srcdoc=\'\'></iframe>',
        '<iframe title="x" style="" sandbox="allow-same-origin allow-scripts" srcdoc=\'\'></iframe>',
        "<object data='x'></object>",
        "<svg onload='1'></svg>",
    ],
)
def test_what_could_run_is_shown_as_its_source(clean_html, wrong):
    assert "<" not in clean_html(wrong)


@pytest.mark.parametrize("wrong", ["<b onclick='1'>b</b>", "<b style='position:fixed'>b</b>"])
def test_attributes_that_could_run_go(clean_html, wrong):
    assert clean_html(wrong) == "<b>b</b>"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x"])
def test_links_that_could_run_lead_nowhere(clean_html, address):
    assert clean_html(f'<a href="{address}">a</a>') == "<a>a</a>"


def test_a_view_stays_in_a_sandbox_over_its_picture(clean_html):
    """Rejects a frame that reaches the page around it, and a page in it that is not the same, letter for letter."""
    view = picture_and_frame(b"png", 'a "map" > x', "<p title='a'>1 && 2</p>", "steps & words")
    (frame,) = re.findall("<iframe .*</iframe>", clean_html(f"{view}<p>drawn for T = 1.</p>"))
    packed = re.search("srcdoc='[^']*'", view).group()
    assert packed in frame
    assert 'sandbox="allow-scripts"' in frame
    assert 'title="steps &amp; words"' in frame
    assert clean_html(view).startswith('<div style="display:grid"><img style="grid-area:1/1" alt="a &quot;map&quot;')


# ── The course's exercises ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def contents(settings, tmp_path):
    """The lab's view of a folder with a released notebook, the student's copy, and a notebook of theirs beside each."""
    released = new_notebook(cells=[new_markdown_cell("# A"), new_code_cell("1")], metadata={"released": ["a 1"]})
    for folder in ("exercises/a", "work/a"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.ipynb").write_text(writes(released))
        (tmp_path / folder / "mine.ipynb").write_text(writes(new_notebook()))
    return settings.ServerApp.contents_manager_class(root_dir=str(tmp_path))


def result_of(coroutine):
    """What a coroutine returns, also where a browser's loop runs in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def get(contents, path, **how):
    """What the lab sends to the page."""
    return result_of(contents.get(path, **how))


def test_a_released_notebook_leads_to_the_students_copy(contents, tmp_path):
    """Rejects a page in which an answer can be typed that nobody keeps, and a file that is changed to say so."""
    before = (tmp_path / "exercises" / "a" / "a.ipynb").read_bytes()
    model = get(contents, "exercises/a/a.ipynb")
    assert not model["writable"]
    first, *others = model["content"]["cells"]
    assert "[work/a/a.ipynb](../../work/a/a.ipynb)" in first["source"]
    assert [cell["source"] for cell in others] == ["# A", "1"]
    assert all(cell["metadata"]["editable"] is False for cell in model["content"]["cells"])
    assert (tmp_path / "exercises" / "a" / "a.ipynb").read_bytes() == before


def test_where_there_is_no_copy_yet_it_says_how_to_get_one(contents, tmp_path):
    """Rejects a link that leads nowhere."""
    (tmp_path / "work" / "a" / "a.ipynb").unlink()
    first = get(contents, "exercises/a/a.ipynb")["content"]["cells"][0]["source"]
    assert "`make work`" in first
    assert "](" not in first


def test_nobody_saves_or_deletes_a_released_notebook(contents, tmp_path):
    """Rejects a lock that only the page knows of."""
    path = tmp_path / "exercises" / "a" / "a.ipynb"
    before = path.read_bytes()
    model = {"type": "notebook", "content": new_notebook()}
    with pytest.raises(HTTPError, match=r"your own copy is work/a/a\.ipynb"):
        result_of(contents.save(model, "exercises/a/a.ipynb"))
    with pytest.raises(HTTPError):
        result_of(contents.delete("exercises/a/a.ipynb"))
    assert path.read_bytes() == before
    listed = get(contents, "exercises/a")["content"]
    assert {entry["name"]: entry["writable"] for entry in listed} == {"a.ipynb": False, "mine.ipynb": True}


@pytest.mark.parametrize("path", ["work/a/a.ipynb", "work/a/mine.ipynb", "exercises/a/mine.ipynb"])
def test_other_notebooks_can_be_written(contents, tmp_path, path):
    """Rejects a lock on what is the student's."""
    before, model = (tmp_path / path).read_text(), get(contents, path)
    assert model["writable"]
    assert [cell["id"] for cell in model["content"]["cells"]] == [cell.id for cell in reads(before, 4).cells]
    assert not any("editable" in cell["metadata"] for cell in model["content"]["cells"])
    notebook = new_notebook(cells=[new_markdown_cell("saved")])
    result_of(contents.save({"type": "notebook", "content": notebook}, path))
    assert "saved" in (tmp_path / path).read_text()


@pytest.mark.parametrize("data", ["", "{", "[]", '{"metadata": null}', "\udcff"])
def test_damaged_exercises_can_be_opened_as_text(contents, tmp_path, data):
    """Rejects a lab that fails on a file that is no notebook."""
    (tmp_path / "exercises" / "a" / "a.ipynb").write_text(data, errors="surrogateescape")
    assert get(contents, "exercises/a/a.ipynb", content=False)["writable"]
