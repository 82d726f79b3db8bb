"""A student's own copy of a released notebook, and the next release: the new comes in, what the student wrote stays.

A released notebook says in its metadata what each of its cells was (`with_record`). A copy carries that along wherever
it goes, so that a later release can tell the student's changes from the course's. Which cell of a copy stands for which
cell of the release is found as in grading (`places`).
"""

import copy
import hashlib
import uuid
from collections import defaultdict

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grading.reading import cell_of
from grading.submission import grade_id, is_answer, places

RECORD = "released"  # in a notebook's metadata: ["name of a cell, hash of its text", …] in the order of the release
OURS = {"nbgrader", "deletable", "editable"}  # metadata that an ordinary cell does not have
GONE = "*Kept from an earlier version of this notebook: what you wrote in `{}`, which is no longer part of it.*"


# ── What was released, and what the student wrote ─────────────────────────────────────────────────────────────────────


def name_of(cell):
    """The name of a cell in all versions: nbgrader's, else its id."""
    return grade_id(cell) or cell.get("id")


def text_hash(cell):
    """A short fingerprint of what a cell says, whatever the blanks at the ends of its lines."""
    lines = [line.rstrip() for line in cell.source.strip().splitlines()]
    return hashlib.sha256("\n".join([cell.cell_type, *lines]).encode("utf-8", "replace")).hexdigest()[:12]


def with_record(notebook):
    """Let a notebook that is going to be released say what its cells are; returns it.

    Raises ValueError when two cells have one name.
    """
    names = [name_of(cell) for cell in notebook.cells]
    if None in names or len(set(names)) < len(names):
        raise ValueError(f"Each cell needs a name of its own (nbgrader's or its id): {names}")
    notebook.metadata[RECORD] = [f"{name_of(cell)} {text_hash(cell)}" for cell in notebook.cells]
    return notebook


def record(notebook):
    """{name: hash} of the cells of the release that a notebook is a copy of, in order; empty if it does not say."""
    lines = notebook.metadata.get(RECORD)
    lines = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
    return dict(line.rpartition(" ")[::2] for line in lines)


def is_changed(cell, known):
    """True when somebody wrote in a cell since it was released; `known` is the record of its notebook.

    Without a record nbgrader's checksum tells it for the cells that have one; any other text may be the student's.
    """
    if name_of(cell) in known:
        return text_hash(cell) != known[name_of(cell)]
    checksum = cell.metadata.get("nbgrader", {}).get("checksum")
    if checksum is None:
        return True
    from nbgrader.utils import compute_checksum  # slow to import, and seldom needed

    return compute_checksum(cell) != checksum


def written(notebook):
    """The cells of a released notebook, or of a copy of it, that the student added or wrote in."""
    known = record(notebook)
    cells = notebook.cells if known else [cell for cell in notebook.cells if grade_id(cell)]
    return [cell for cell in cells if cell.source.strip() and is_changed(cell, known)]


# ── The next release ──────────────────────────────────────────────────────────────────────────────────────────────────


def renewed(release, own):
    """A copy with the cells of the release and the student's own words; and {what happened: [names of cells]}.

    - An answer stays; so does a text that the student changed and the release did not.
    - What the release changed comes in; if the student had written there, that stays below as a cell of their own.
    - A cell that the student added stays behind the cell it stood behind; a text that they deleted stays away.
    - What the student wrote in a cell that is gone stands at the end.
    """
    known, happened = record(own), defaultdict(list)
    chosen, added, gone = sorted_out(release, own, known)
    ours = {name_of(cell): cell for cell in release.cells}
    wanted = [name for name, cell in ours.items() if name in chosen or not stays_away(cell, known)]
    result = copy.deepcopy(own)
    result.cells = added[None]
    for name in in_order(list(chosen), wanted, list(known)):
        result.cells += [*version(ours[name], chosen.get(name), known, happened), *added[name]]
    for cell in gone:
        happened["gone"].append(name_of(cell))
        result.cells += [new_markdown_cell(GONE.format(name_of(cell))), ordinary(cell)]
    recorded = release if RECORD in release.metadata else with_record(copy.deepcopy(release))
    result.metadata[RECORD] = recorded.metadata[RECORD]
    return result, dict(happened)


def sorted_out(release, own, known):
    """The cells of a copy, in their order: {name: the one that stands for it}, {name: what was added behind}, [gone].

    Stubs that were copied, and what the student left as it was in cells that are gone, are in none of them.
    """
    found = places(release, [cell_of(cell) for cell in own.cells])
    seats = seated(release, own, found, known)
    taken = {cell.id for cell in release.cells}
    chosen, added, gone, anchor = {}, defaultdict(list), [], None
    for cell, place in zip(own.cells, found, strict=True):
        if id(cell) in seats:
            *earlier, last = seats[id(cell)]
            added[anchor] += map(ordinary, earlier)
            anchor = name_of(release.cells[place])
            chosen[anchor] = last
        elif place is not None:
            if cell.source.strip() and not is_answer(release.cells[place]):
                added[anchor].append(ordinary(cell))
        elif name_of(cell) in known or (grade_id(cell) and not known):
            gone += [cell] if cell.source.strip() and is_changed(cell, known) else []
        else:
            added[anchor].append(ordinary(cell) if grade_id(cell) or cell.id in taken else cell)
    return chosen, added, gone


def seated(release, own, found, known):
    """{id of the cell of a copy whose place counts: the cells that stand there, of which the last one counts}.

    Several answers to one exercise stand where the first of them stood, and the last counts, as in grading. Of several
    cells of another kind the first one that is as released counts, and the others stay where they are.
    """
    several = defaultdict(list)
    for cell, place in zip(own.cells, found, strict=True):
        if place is not None and cell.source.strip():
            several[place].append(cell)
    seats = {}
    for place, cells in several.items():
        if is_answer(release.cells[place]):
            answers = {text_hash(cell): cell for cell in reversed(cells) if is_changed(cell, known)}
            seats[id(cells[0])] = [*reversed(answers.values())] or cells[:1]
        else:
            one = next((cell for cell in cells if not is_changed(cell, known)), cells[0])
            seats[id(one)] = [one]
    return seats


def stays_away(cell, known):
    """True for a text that the student's copy had and has no more, and that is still the same."""
    return not grade_id(cell) and known.get(name_of(cell)) == text_hash(cell)


def in_order(own, wanted, before):
    """The names of `wanted` in the student's order, new ones behind the cell that they follow in the release.

    Where the course has changed the order itself, in the course's new order.
    """
    common = [name for name in before if name in wanted]
    if common != [name for name in wanted if name in common]:
        return wanted
    result = list(own)
    for place, name in enumerate(wanted):
        if name not in result:
            result.insert(result.index(wanted[place - 1]) + 1 if place else 0, name)
    return result


def version(cell, mine, known, happened):
    """What stands in a new copy for a cell of the release: the student's, the course's, or the course's and theirs."""
    name = name_of(cell)
    if mine is None:
        happened["back" if name in known else "new"].append(name)
        return [copy.deepcopy(cell)]
    if text_hash(mine) == text_hash(cell):
        return [as_released(mine, cell, mine.source if is_answer(cell) else cell.source)]
    changed, new = is_changed(mine, known), known.get(name_of(mine)) != text_hash(cell)
    if changed and (is_answer(cell) or not (grade_id(cell) or new)):
        return [as_released(mine, cell, mine.source)]
    happened["beside" if changed else "changed"].append(name)
    return [copy.deepcopy(cell), *([ordinary(mine)] if changed else [])]


def as_released(mine, cell, source):
    """The student's cell with this source, and with its outputs, name, rights and points as in the release."""
    result = copy.deepcopy(mine if mine.cell_type == cell.cell_type else cell)
    kept = {key: value for key, value in mine.metadata.items() if key not in OURS}
    result.update(source=source, id=cell.id, metadata=NotebookNode({**kept, **copy.deepcopy(cell.metadata)}))
    return result


def ordinary(cell):
    """A cell of the student's own, which the course knows nothing of."""
    result = copy.deepcopy(cell)
    result.metadata = NotebookNode({key: value for key, value in cell.metadata.items() if key not in OURS})
    result.id = uuid.uuid4().hex[:8]
    return result


# ── What was written into the released notebook by mistake ────────────────────────────────────────────────────────────


def completed(own, typed):
    """A copy with what the student wrote into the released notebook itself, and True when all of that found room.

    An answer finds room where the copy has the stub, or the same answer.
    """
    result, known, fits, place = copy.deepcopy(own), record(own), True, -1
    there, new = {text_hash(cell) for cell in own.cells}, written(typed)
    for cell in typed.cells:
        names = [name_of(one) for one in result.cells]
        found = names.index(name_of(cell)) if name_of(cell) in names else None
        place = place if found is None else found
        if all(cell is not one for one in new) or text_hash(cell) in there:
            continue
        if found is None or (grade_id(cell) and not is_answer(cell)):
            place += 1
            result.cells.insert(place, ordinary(cell))
        elif is_changed(result.cells[found], known):
            fits = False
        else:
            result.cells[found] = as_released(cell, result.cells[found], cell.source)
    return result, fits
