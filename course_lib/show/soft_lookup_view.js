// SoftLookupView: soft key–value lookup. A query in the plane, moved by mouse, keys or sliders; the weights of all
// keys as lines, dots, bars and numbers, and the context. Only a reader's own score needs Python.

import { LessonView, mount } from "./base.js";
import { applyTheme, choice, colourOf, element, floats, formula, isDark, rampTable } from "./common.js";
import { short, shown, signed, slider, svg } from "./common.js";
import { contextOf, SCORES, weightsAt } from "./soft_lookup.js";
import { mark, Plane, shadeOf } from "./soft_lookup_plane.js";

const [NARROWEST, WIDEST, BESIDE] = [200, 440, 24]; // pixels: the plane, and what the view needs beside it
const POWERS = 3; // the temperature goes from 10^−3 to 10^3; the ends of its slider stand for 0 and ∞
const STEP = 0.05; // of the power
const PATIENCE = 700; // milliseconds until Python counts as not answering

const inBrackets = (numbers) => `(${numbers.map((number) => signed(number)).join(", ")})`;

/** The colours from the largest negative number to the largest positive one; zero looks like the page. */
function signedTable(page) {
  const colours = THEME.diverging;
  const pick = (...places) => places.map((place) => colours[place]);
  return rampTable(isDark() ? [...pick(15, 11, 6, 0), page, ...pick(32, 27, 22, 17)] : colours, 257);
}

/** One pixel for each number; the page stretches them. */
function paintStrip(canvas, numbers, largest, table) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, 1);
  numbers.forEach((number, place) => image.data.set([...colourOf(number / largest + 1, 2, table), 255], 4 * place));
  context.putImageData(image, 0, 0);
}

class SoftLookupView extends LessonView {
  static traits = {
    build: ["names", "width", "has_own", "untrained"],
    paint: ["places", "values", "parameters"],
    point: ["query", "score", "temperature", "own_scores", "own_query"],
  };

  /** Draw everything anew where there is more or less room; not at once, since painting changes the size. */
  fit() {
    requestAnimationFrame(() => this.room() !== this.wide && this.paint());
  }

  end() {
    clearTimeout(this.waiting);
    super.end();
  }

  /** Everything that depends on the words and the names. */
  build() {
    const { words } = this;
    this.root.classList.add("lesson-lookup");
    this.names = this.get("names").map(shown);
    this.hasStrips = this.get("width") > 0; // else the keys themselves are the values
    const label = `${words.plane}: ${this.names.join(", ")}. ${words.drag}`;
    const moved = (place) => this.set("query", place, this.get("score") === "own");
    this.plane = new Plane({ label, names: this.names, hasContext: !this.hasStrips, moved });
    this.formula = element("div", { class: "formula" });
    this.formulaOf = null;
    this.note = element("p", { class: "note" });
    this.rows = element("div", { class: "lesson-rows", "aria-hidden": "true" });
    const maps = element("div", { class: "lesson-maps" }, this.plane.element, this.rows);
    this.place(this.buildControls(), this.formula, maps, this.buildLegend(), this.note);
    this.paint();
  }

  buildControls() {
    const { words } = this;
    this.kinds = [...Object.keys(SCORES), ...(this.get("has_own") ? ["own"] : [])];
    const untrained = (kind) => (this.get("untrained").includes(kind) ? ` (${words.untrained})` : "");
    const names = this.kinds.map((kind) => words[kind] + untrained(kind));
    const range = { min: -1, max: 1, step: 1 }; // until the plane is drawn
    const move = (axis) => (value) => this.plane.moveTo(this.get("query").with(axis, value));
    const powers = { min: -POWERS, max: POWERS, step: STEP };
    this.controls = {
      score: choice(words.score, names, (place) => this.set("score", this.kinds[place], this.kinds[place] === "own")),
      x: slider(words["query x"], range, (value) => this.plane.text(value), move(0)),
      y: slider(words["query y"], range, (value) => this.plane.text(value), move(1)),
      temperature: slider(words.temperature, powers, () => this.temperatureText(), (power) => this.heat(power)),
    };
    const input = this.controls.temperature.querySelector("input");
    input.setAttribute("aria-label", `${words.temperature}: ${words.dictionary} – ${words.mean}`);
    const ends = element("span", { class: "ends" }, element("span", {}, words.dictionary));
    input.replaceWith(ends);
    ends.append(input, element("span", {}, words.mean));
    const all = Object.values(this.controls);
    return element("div", { class: "lesson-controls", role: "group", "aria-label": words.controls }, ...all);
  }

  get temperature() {
    return this.get("temperature") ?? Infinity; // JSON has no ∞
  }

  heat(power) {
    this.set("temperature", power <= -POWERS ? 0 : power >= POWERS ? Infinity : 10 ** power);
  }

  temperatureText() {
    const { temperature } = this;
    if (temperature === 0 || temperature === Infinity) return `T → ${temperature ? "∞" : 0}`;
    return `T = ${temperature < 0.1 ? temperature.toPrecision(1) : temperature.toFixed(temperature < 10 ? 2 : 0)}`;
  }

  /** Where the slider stands: only 0 and ∞ are at its ends. */
  power() {
    const power = Math.log10(this.temperature);
    const end = POWERS - STEP;
    return Number.isFinite(power) ? Math.max(-end, Math.min(end, power)) : POWERS * Math.sign(power);
  }

  buildLegend() {
    const { words } = this;
    const sample = (shape, text) => {
      const box = svg("svg", { width: 22, height: 22, viewBox: "-11 -11 22 22", "aria-hidden": "true" }, shape);
      return element("span", {}, box, text);
    };
    this.sample = svg("circle", { class: "dot", r: 6 });
    const all = [sample(mark("query", "q"), words["the query"]), sample(this.sample, words["key point"])];
    if (!this.hasStrips) {
      all.push(sample(mark("context", "c"), words.context));
      all.push(sample(svg("path", { class: "hull", d: "M-9 -6L9 -6L9 6L-9 6Z" }), words.hull));
    }
    return element("div", { class: "lesson-legend" }, ...all);
  }

  /** How wide the plane may be. */
  room() {
    return Math.min(WIDEST, Math.max(NARROWEST, (this.root.clientWidth || WIDEST + BESIDE) - BESIDE));
  }

  /** Everything that depends on keys, values, theme and size. */
  paint() {
    this.theme = applyTheme(this.root);
    this.wide = this.room();
    const rows = (numbers, width) => this.names.map((_, row) => [...numbers.slice(row * width, (row + 1) * width)]);
    this.keys = rows(floats(this.get("places")), 2);
    this.values = this.hasStrips ? rows(floats(this.get("values")), this.get("width")) : this.keys;
    this.plane.paint(this.keys, this.get("query"), this.wide, this.theme.table);
    const { x, y, step } = this.plane.limits;
    for (const [name, [min, max]] of Object.entries({ x, y })) {
      Object.assign(this.controls[name].querySelector("input"), { min, max, step });
    }
    this.sample.setAttribute("fill", shadeOf(0.5, this.theme.table));
    this.drawRows();
    this.point();
  }

  /** A row for each key: its name, score, weight, and its value as a strip; below them the context. */
  drawRows() {
    const cell = (name, ...children) => element("div", { class: name }, ...children);
    const name = (text) => element("div", { class: "name", dir: "auto", title: text }, text);
    const strip = () => element("canvas", { class: "strip", width: this.get("width"), height: 1 });
    const kinds = ["name", "score", "bar", "weight", ...(this.hasStrips ? ["strip"] : [])];
    this.cells = this.names.map((text) => {
      return { name: name(text), score: cell("score"), bar: cell("bar", cell("")), weight: cell(""), strip: strip() };
    });
    const heads = { name: "", score: "s_j", bar: "", weight: "w_j", strip: "v_j" };
    const head = kinds.map((kind) => cell(kind === "score" ? "head score" : "head", ...formula(heads[kind])));
    const sum = { name: name(this.words.context), score: cell(""), bar: cell(""), weight: cell(""), strip: strip() };
    const rows = this.hasStrips ? [...this.cells, sum] : this.cells;
    this.rows.classList.toggle("with-strips", this.hasStrips);
    this.rows.replaceChildren(...head, ...rows.flatMap((row) => kinds.map((kind) => row[kind])));
    this.sum = sum.strip;
    const largest = Math.max(...this.values.flat().map(Math.abs)) || 1;
    const table = signedTable(this.theme.page);
    this.paintStrip = (canvas, numbers) => paintStrip(canvas, numbers, largest, table);
    if (this.hasStrips) this.cells.forEach((row, key) => this.paintStrip(row.strip, this.values[key]));
  }

  /** Everything that depends on query, score and temperature. */
  point() {
    const [query, kind] = [this.get("query"), this.get("score")];
    if (!this.plane.holds(query)) return this.paint();
    this.awaitAnswer(query, kind);
    this.scores = kind === "own" ? this.ownScores() : SCORES[kind].of(query, this.keys, this.get("parameters")[kind]);
    this.weights = weightsAt(this.scores, this.temperature);
    this.context = contextOf(this.weights, this.values);
    this.plane.point(query, this.weights, this.context);
    this.cells.forEach(({ score, bar, weight }, key) => {
      const share = this.weights[key] || 0;
      score.textContent = this.scores[key].toFixed(2).replace("-", "−");
      weight.textContent = short(this.weights[key]);
      Object.assign(bar.firstChild.style, { width: `${100 * share}%`, background: shadeOf(share, this.theme.table) });
    });
    if (this.hasStrips) this.paintStrip(this.sum, this.context);
    const values = { score: this.kinds.indexOf(kind), x: query[0], y: query[1], temperature: this.power() };
    for (const [name, value] of Object.entries(values)) this.controls[name].show(value);
    this.write(query, kind);
  }

  writeFormula(kind) {
    this.formulaOf = kind;
    const lines = [`s_j = ${SCORES[kind]?.formula ?? "score(q, k)_j"}`, "w = softmax(s / T)"];
    const all = [...lines, `c = Σ_j w_j ${this.hasStrips ? "v_j" : "k_j"}`];
    this.formula.replaceChildren(...all.map((line) => element("span", {}, ...formula(line))));
  }

  /** The formula, the note, the status line and the table. */
  write(query, kind) {
    const { words } = this;
    if (kind !== this.formulaOf) this.writeFormula(kind);
    const notes = [];
    if (kind === "cosine" && query.every((part) => part === 0)) notes.push(words["zero query"]);
    if (kind === "location") notes.push(words["no keys"]);
    if (this.late) notes.push(`${words["own here"]} ${inBrackets(this.get("own_query"))}. ${words["other scores"]}`);
    this.note.textContent = notes.join(" ");
    const context = this.hasStrips ? "" : `; c = ${inBrackets(this.context)}`;
    this.status.textContent = `q = ${inBrackets(query)}: ${this.largestText()}${context}`;
    if (this.details.open) this.writeTable();
  }

  /** The three largest weights in words. */
  largestText() {
    const order = this.names.map((name, key) => [this.weights[key], name]).sort(([one], [other]) => other - one);
    return order.slice(0, 3).map(([weight, name]) => `“${name}” ${short(weight)}`).join(", ");
  }

  tableParts() {
    const { words } = this;
    const texts = (row, digits) => row.map((number) => signed(number, digits));
    const rows = this.names.map((name, key) => {
      const own = texts([this.scores[key], this.weights[key]], 3);
      return [name, ...texts(this.keys[key]), ...own, ...(this.hasStrips ? texts(this.values[key]) : [])];
    });
    const context = texts(this.context);
    rows.push([words.context, ...(this.hasStrips ? ["", "", "", "", ...context] : [...context, "", ""])]);
    const components = this.hasStrips ? this.values[0].map((_, place) => `v${place + 1}`) : [];
    const heads = ["x", "y", words["score number"], words["weight number"], ...components];
    return [`${words[this.get("score")]}, ${this.temperatureText()}`, heads, rows];
  }

  // ---- the reader's own score -----------------------------------------------------------------------------------

  /** The scores that Python computed last; NaN if there are none. */
  ownScores() {
    const scores = [...floats(this.get("own_scores"))];
    return scores.length === this.names.length ? scores : this.names.map(() => NaN);
  }

  /** The old weights stay until Python answers; if it does not, they turn pale and a note names their query. */
  awaitAnswer(query, kind) {
    const answered = String(this.get("own_query"));
    const isOpen = kind === "own" && answered !== String(query);
    if (!isOpen || answered !== this.answered) {
      clearTimeout(this.waiting);
      this.waiting = this.late = null;
    }
    this.answered = answered;
    this.root.classList.toggle("late", Boolean(this.late));
    if (!isOpen || this.waiting) return;
    this.waiting = setTimeout(() => {
      this.late = true;
      this.point();
    }, PATIENCE);
  }
}

const render = mount(SoftLookupView);

export default { render };
