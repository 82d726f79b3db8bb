// The picture of an UnrolledView: words, bars of states on a canvas, and lines above it. A state that is not computed
// yet is an empty frame, so that nothing else moves.

import { colourOf, css, element, formula, hatch, isWrong, languageOf, sharp, shown } from "./common.js";
import { signed, svg, widthsOf } from "./common.js";
import { besides, down, fanLine, knownAt, layoutWithin, over, sagging } from "./unrolled_layout.js";
import { THICKEST, upFrom } from "./unrolled_layout.js";

const HAIR = 1; // pixels: the line of a score; that of a small weight, which is pale too

export class UnrolledPlot {
  /** `run` holds words and sizes, `schedule` all small steps; `room` is the width of the page. */
  constructor({ run, schedule, words, room }) {
    Object.assign(this, { run, schedule, letters: run.recipe.letters, n: run.source.length, m: run.read.length });
    const { source, written, read, shapes } = run;
    this.twoLines = run.forced || written.some((word, time) => time + 1 < this.m && word !== read[time + 1]);
    this.rows = [words.writes, ...(this.twoLines ? [words["reads next"]] : []), "p"];
    this.hasCombined = Boolean(shapes.combined);
    this.attends = Boolean(shapes.weights);
    const below = [read[0], ...written];
    const both = [widthsOf(below), widthsOf(this.twoLines ? [...read, ""] : below)];
    this.wordWidths = below.map((_, place) => Math.max(both[0][place], both[1][place]));
    this.given = {
      left: Math.max(24, ...widthsOf(this.rows).map((width) => 0.86 * width)) + 6,
      sourceWidths: widthsOf(source),
      wordWidths: this.wordWidths,
      sizes: {
        source: shapes.encoder_states[1],
        state: shapes.states[1],
        context: shapes.contexts[1],
        combined: shapes.combined?.[1] ?? 0,
      },
      bidirectional: run.bidirectional,
      lines: this.rows.length,
    };
    this.at = layoutWithin(room, this.given);
    const label = `${words.unrolled}: ${this.n} → ${this.m}. ${words["unrolled help"]}`;
    this.element = element("div", { class: "lesson-plot", tabindex: "0", role: "application", "aria-label": label });
    this.element.style.setProperty("--letters", `${this.at.letters}px`);
    Object.assign(this.element.style, { width: `${this.at.width}px`, height: `${this.at.height}px` });
    this.canvas = element("canvas", { class: "bars" });
    this.element.append(this.canvas);
    this.buildLines();
    this.buildWords(below);
  }

  buildWords(below) {
    const { at, run, rows } = this;
    const row = (tokens, middles, y, name) =>
      tokens.map((text, place) => this.write(shown(text), middles[place], y, name));
    const lastLine = at.words + at.line * (rows.length - 1);
    this.sourceWords = row(run.source, at.source, at.line / 2, "token");
    this.amounts = row(run.source, at.source, at.numbers, "number");
    this.writtenWords = row(this.twoLines ? ["", ...run.written] : below, at.decoder, at.words, "token");
    this.readWords = this.twoLines ? row(run.read, at.decoder, at.words + at.line, "token") : this.writtenWords;
    this.probabilities = row(below, at.decoder, lastLine, "number");
    rows.forEach((text, line) => this.write(text, 0, at.words + at.line * line, "side"));
    this.contextLetter = this.write("", at.contextAt, at.line / 2, "letter");
    this.write("", 0, (at.top + at.upper) / 2, "letter side").append(...formula(this.letters.source));
    const letters = this.hasCombined ? [this.letters.state, this.letters.combined] : [this.letters.state];
    const middle = (at.below + at.deeper) / 2;
    letters.forEach((letter, line) => {
      this.write("", 0, middle + 22 * (line - (letters.length - 1) / 2), "letter side").append(...formula(letter));
    });
  }

  write(text, x, y, name) {
    const style = `left:${x}px;top:${y}px`;
    const node = element("span", { class: name, dir: "auto", "aria-hidden": "true", style }, text);
    if (languageOf([text])) node.lang = languageOf([text]);
    this.element.append(node);
    return node;
  }

  /** The lines of the recurrences, which are always there, and those of the attention. */
  buildLines() {
    const { at, n, m, run } = this;
    const chain = (count, box, way) => Array.from({ length: count - 1 }, (_, place) => way(box(place), box(place + 1)));
    const passed = chain(n, at.forward, (one, next) => besides(one, next));
    if (run.bidirectional) passed.push(...chain(n, at.backward, (one, next) => besides(next, one)));
    passed.push(...chain(m + 1, at.state, this.hasCombined ? over : (one, next) => besides(one, next)));
    const paths = (name, list) => svg("g", { class: name }, ...list.map((d) => svg("path", { d })));
    const [fan, arcs] = [at.source.map(() => ""), at.source.map((x) => sagging(x, at.fan, at.contextAt))];
    const context = at.context();
    const receivers = Array.from({ length: this.attends ? 0 : m }, (_, place) => at.state(place + 1));
    const handed = receivers.map((state) => down(context, state, at.fan));
    this.groups = { passed: paths("passed", passed), handed: paths("passed", handed) };
    Object.assign(this.groups, { fan: paths("fan", fan), arcs: paths("arcs", arcs) });
    this.groups.present = svg("g", { class: "present" });
    const size = { width: at.width, height: at.height, "aria-hidden": "true" };
    this.element.append(svg("svg", size, ...Object.values(this.groups)));
  }

  /** Draw a step. `numbers` are the rows of all arrays, on a scale from −`largest` to `largest`. */
  draw({ step, numbers, largest, guesses, theme, shades }) {
    Object.assign(this, { numbers, largest, guesses, theme, shades, now: this.schedule[step] });
    this.known = knownAt(this.schedule, step);
    this.time = this.now.group > this.n ? this.now.time : 0; // of the decoder
    this.drawBars();
    this.drawAttention();
    this.drawPresent();
    this.drawWords();
  }

  /** Has the present time step of the decoder done this small step already? */
  has(name) {
    return this.time > 0 && this.known[name] === this.time;
  }

  /** The context, if it is known now: always the same, or that of this time step. */
  context() {
    const { contexts } = this.numbers;
    if (this.known.context !== undefined) return contexts[Math.max(0, this.time - 1)];
    return this.has("average") ? contexts[this.time - 1] : null;
  }

  /** All bars: [box, numbers or, if they are not known yet, null]. */
  bars() {
    const { at, n, m, known, numbers, run } = this;
    const found = [[at.context(), this.context()]];
    numbers.encoder_states.forEach((row, j) => {
      const half = run.bidirectional ? row.length / 2 : row.length;
      found.push([at.forward(j), j < known.encode ? row.subarray(0, half) : null]);
      if (run.bidirectional) found.push([at.backward(j), j >= n - known.encode ? row.subarray(half) : null]);
    });
    found.push([at.state(0), known.start === 0 ? numbers.start[0] : null]);
    for (let time = 1; time <= m; time++) {
      found.push([at.state(time), known.state >= time ? numbers.states[time - 1] : null]);
      if (this.hasCombined) found.push([at.combined(time), known.combine >= time ? numbers.combined[time - 1] : null]);
    }
    return found;
  }

  drawBars() {
    const context = sharp(this.canvas, this.at.width, this.at.height);
    for (const [[x, y, width, height], values] of this.bars()) {
      const cell = height / (values?.length ?? 1);
      values?.forEach((value, index) => {
        if (!Number.isFinite(value)) return;
        context.fillStyle = css(colourOf(value + this.largest, 2 * this.largest, this.shades));
        context.fillRect(x, y + index * cell, width, cell);
      });
      context.strokeStyle = this.theme.line;
      context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
      if (values) this.drawWrong(context, [x, y, width, cell], values);
    }
  }

  /** Hatch NaN and infinities; the first one of a bar is also written beside it. */
  drawWrong(context, [x, y, width, cell], values) {
    const wrong = [...values.keys()].filter((index) => !Number.isFinite(values[index]));
    for (const index of wrong) hatch(context, [x, y + index * cell - 1, width, cell + 2], this.theme.wrong, true);
    if (!wrong.length) return;
    Object.assign(context, { font: "11px system-ui, sans-serif", textBaseline: "middle", fillStyle: this.theme.wrong });
    context.fillText(signed(values[wrong[0]]), x + width + 3, y + (wrong[0] + 0.5) * cell);
  }

  /** Lines from the query's state to the source, thin for scores, as thick as the weights; then to the context. */
  drawAttention() {
    const { at, numbers, time } = this;
    const scores = this.has("scores") ? numbers.scores[time - 1] : null;
    const weights = this.has("weights") ? numbers.weights[time - 1] : null;
    const query = this.run.recipe.decode.find(({ name }) => name === "weights")?.uses ?? "";
    const isStage = ["average", "weights", "scores"].includes(this.now.name);
    const stage = isStage ? this.now.name : weights ? "done" : "none";
    this.groups.fan.dataset.stage = scores || weights ? stage : "none";
    this.groups.arcs.dataset.stage = this.has("average") ? stage : "none";
    this.amounts.forEach((node, j) => {
      const number = (weights ?? scores)?.[j];
      node.textContent = number === undefined ? "" : signed(number);
      if (number === undefined) return;
      const [x, y, width] = at.state(query.includes("before") ? time - 1 : time);
      const line = this.groups.fan.children[j];
      line.setAttribute("d", fanLine(x + width / 2, y - 4, at.source[j], at.fan));
      const thick = THICKEST * Math.min(1, weights?.[j]);
      for (const path of [line, this.groups.arcs.children[j]]) {
        path.classList.toggle("wrong", isWrong(number));
        path.classList.toggle("hardly", thick < HAIR);
        path.style.strokeWidth = `${thick > HAIR ? thick : HAIR}px`;
      }
    });
  }

  /** The boxes that a step uses, by their names, and the one that it makes. */
  boxesOf({ name, uses, time }) {
    const { at, n, run } = this;
    const width = (place) => (this.wordWidths[place] * at.letters) / 13;
    const word = (place, line = 0) => {
      return [at.decoder[place] - width(place) / 2, at.words + at.line * line - 8, width(place), 16];
    };
    const first = run.bidirectional ? at.backward(0) : at.forward(n - 1);
    const known = {
      before: () => [at.state(time - 1)],
      state: () => [at.state(time)],
      context: () => [at.context()],
      combined: () => [at.combined(time)],
      fed: () => (time > 1 ? [at.combined(time - 1)] : []),
      word: () => [word(time - 1, this.twoLines ? 1 : 0)],
      ends: () => (run.bidirectional ? [at.forward(n - 1), first] : [first]),
      backward: () => [first],
    };
    const makes = {
      encode: () => [at.forward(time - 1), ...(run.bidirectional ? [at.backward(n - time)] : [])],
      context: () => [at.context()],
      average: () => [at.context()],
      start: () => [at.state(0)],
      state: () => [at.state(time)],
      combine: () => [at.combined(time)],
      write: () => [word(time)],
    };
    const used = uses ? uses.split(" ").map((use) => [use, known[use]()]) : [];
    return { used: Object.fromEntries(used), made: makes[name]?.() ?? [] };
  }

  /** The arrow from what is used to what is made; null where the frames are enough. */
  wayOf(use, from, to) {
    const { at, now } = this;
    if (now.name === "context") return sagging(from[0] + from[2] / 2, at.fan, at.contextAt);
    if (use === "word" && now.name === "state") return upFrom(from, to);
    if (use === "before" && now.name === "state") return this.hasCombined ? over(from, to) : besides(from, to);
    if (use === "fed" && now.name === "state") return besides(from, to);
    if (now.name === "start" || (use === "context" && now.name !== "write")) return down(from, to, at.fan);
    return use === "combined" ? down(from, to) : null;
  }

  /** Frames around what is used and what is made now, and arrows from the one to the other. */
  drawPresent() {
    const { used, made } = this.boxesOf(this.now);
    const frame = ([x, y, width, height], name) =>
      svg("rect", { class: name, x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 2 });
    const nodes = made.map((box) => frame(box, "made"));
    for (const [use, boxes] of Object.entries(used)) {
      for (const box of boxes) {
        const way = made.length ? this.wayOf(use, box, made[0]) : null;
        nodes.push(frame(box, "used"), ...(way ? [svg("path", { d: way })] : []));
      }
    }
    this.groups.present.replaceChildren(...nodes);
    [...this.groups.handed.children].forEach((path, place) => {
      path.style.display = this.known.state > place ? "" : "none"; // the same context, at each time step so far
    });
  }

  drawWords() {
    const { known, now, time, n, run, letters } = this;
    const reading = now.name === "encode" ? [now.time - 1, ...(run.bidirectional ? [n - now.time] : [])] : [];
    this.sourceWords.forEach((node, j) => node.classList.toggle("now", reading.includes(j)));
    const reached = (place) => (place ? known.write >= place : known.start === 0);
    this.writtenWords.forEach((node, place) => {
      node.hidden = !reached(place);
      node.classList.toggle("now", place > 0 && place === time);
    });
    this.probabilities.forEach((node, place) => {
      const guess = place ? this.guesses[place - 1]?.find(([word]) => word === run.written[place - 1]) : null;
      node.textContent = guess && reached(place) ? signed(guess[1]) : "";
    });
    if (this.twoLines) this.readWords.forEach((node, place) => (node.hidden = !reached(place)));
    const letter = time ? letters.context.replace(/_.$/, `_{${time}}`) : letters.context;
    this.contextLetter.replaceChildren(...formula(letter));
  }
}
