// AttentionView: attention weights, step by step. Python sends the numbers once; from then on everything happens here.
// `model` needs get, set, save_changes, on and off: the notebook's model has them, and so has the one of page.js.

import { LessonView, mount } from "./base.js";
import { applyTheme, choice, element, floats, isMasked, isWrong, short } from "./common.js";
import { shown, slider, softmax, widthsOf } from "./common.js";
import { Heatmap } from "./heatmap.js";
import { Lines } from "./lines.js";

const LONGEST_TABLE = 64;
const SECONDS_A_STEP = 0.8;
const SCALE_ABOVE = 16; // keys; as in pictures
const FORMS = { map: Heatmap, lines: Lines };
const ROOM = { alone: 440, most: 340, least: 180 }; // pixels for the cells of a map, and of one of two

/** The weights (query × key, −Infinity where masked) of one layer and head, from weights or from scores. */
export function weightsOf(values, [, heads, queries, keys], { layer, head, kind, temperature }) {
  const start = (layer * heads + head) * queries * keys;
  const weights = values.slice(start, start + queries * keys);
  if (kind === "weights") return weights;
  for (let row = 0; row < queries; row++) {
    const scores = weights.subarray(row * keys, (row + 1) * keys);
    const soft = softmax(scores, temperature);
    for (let key = 0; key < keys; key++) if (!isMasked(scores[key])) scores[key] = soft[key];
  }
  return weights;
}

/** The weight of the darkest colour: 1, or the largest weight if there are many keys or weights above 1. */
export function scaleOf(weights, keys) {
  let largest = 0;
  for (const weight of weights) if (weight < Infinity && weight > largest) largest = weight;
  return keys > SCALE_ABOVE || largest > 1.005 ? largest || 1 : 1;
}

/** Where a key leads from a cell; left of the first column is the whole row {column: null}, above the first row the
 * whole column {row: null}. Undefined for other keys. */
export function nextCell(key, { row, column }, [, , queries, keys]) {
  const within = (place, count, whole) => (place < 0 ? (whole ? null : 0) : Math.min(count - 1, place));
  const moves = {
    ArrowLeft: { row, column: within((column ?? 0) - 1, keys, row !== null) },
    ArrowRight: { row, column: within((column ?? -1) + 1, keys) },
    ArrowUp: { row: within((row ?? 0) - 1, queries, column !== null), column },
    ArrowDown: { row: within((row ?? -1) + 1, queries), column },
    Home: { row, column: 0 },
    End: { row, column: keys - 1 },
  };
  return moves[key];
}

class AttentionView extends LessonView {
  static traits = {
    build: ["shape", "query_tokens", "key_tokens", "gold", "kind", "form", "beside_name"],
    paint: ["values", "beside", "layer", "head", "temperature"],
    point: ["step"],
  };

  /** Lay two maps out anew where they have more or less room than when they were built. */
  fit() {
    if (this.maps.length > 1 && this.roomForOneOfTwo() !== this.room) this.build();
  }

  /** Everything that depends on the words and the number of layers and heads. */
  build() {
    [this.layers, this.heads] = this.get("shape");
    this.queries = this.get("query_tokens");
    this.keys = this.get("key_tokens");
    const gold = this.get("gold");
    this.gold = gold?.byteLength ? new Uint8Array(gold.buffer, gold.byteOffset, gold.byteLength) : null;
    this.cursor = null;
    this.buildMaps();
    this.scroller = element("div", { class: "lesson-maps" }, ...this.maps.map((map) => map.element));
    this.tip = element("div", { class: "lesson-tip", "aria-hidden": "true", hidden: "" });
    this.legend = element("div", { class: "lesson-legend" });
    this.place(this.buildControls(), this.scroller, this.legend);
    this.root.append(this.tip);
    this.paint();
  }

  buildMaps() {
    const { words, queries, keys } = this;
    const size = `${queries.length} ${words.queries} × ${keys.length} ${words.keys}`;
    const other = this.get("beside_name") || (this.gold ? words.gold : "");
    const room = (this.room = other ? this.roomForOneOfTwo() : ROOM.alone);
    this.maps = (other ? [words.learned, other] : [""]).map((title) => {
      const label = `${words["heat map"]} ${title}, ${size}. ${words.help}`;
      return new FORMS[this.get("form")]({ title, label, queries, keys, room });
    });
    for (const map of this.maps) {
      map.plot.addEventListener("pointermove", (event) => this.moveTo(map.cellAt(event), map));
      map.plot.addEventListener("pointerleave", () => this.moveTo(null));
      map.plot.addEventListener("click", (event) => {
        const row = map.cellAt(event)?.row ?? null;
        if (row !== null) this.set("step", row);
      });
      map.plot.addEventListener("keydown", (event) => this.pressed(event, map));
      map.plot.addEventListener("blur", () => this.moveTo(null));
    }
  }

  /** Pixels for the cells of one of two maps, such that both have room beside each other. */
  roomForOneOfTwo() {
    const forWords = Math.max(...widthsOf(this.queries)) + 0.7 * Math.max(...widthsOf(this.keys)) + 40;
    const half = (this.root.clientWidth || 2 * ROOM.most + 2 * forWords) / 2;
    return Math.max(ROOM.least, Math.min(ROOM.most, half - forWords));
  }

  buildControls() {
    const { words, queries } = this;
    const ofAll = (step) => `${step + 1} ${words.of} ${queries.length}: ${shown(queries[step])}`;
    const steps = { min: 0, max: queries.length - 1, step: 1 };
    this.player = this.stepPlayer(() => this.queries.length - 1, SECONDS_A_STEP);
    this.controls = { step: slider(words.step, steps, ofAll, (step) => this.set("step", step)) };
    const longest = Math.max(...queries.map((_, step) => ofAll(step).length));
    this.controls.step.style.setProperty("--letters", longest); // so that nothing moves when the word changes
    const forms = Object.keys(FORMS);
    const names = forms.map((form) => words[form]);
    this.controls.form = choice(words.form, names, (index) => this.set("form", forms[index]));
    const numbers = (count) => Array.from({ length: count }, (_, index) => String(index + 1));
    const selector = (name, count) => choice(words[name], numbers(count), (index) => this.set(name, index));
    if (this.layers > 1) this.controls.layer = selector("layer", this.layers);
    if (this.heads > 1) this.controls.head = selector("head", this.heads);
    if (this.get("kind") === "scores") {
      const logarithm = { min: -1, max: 1, step: 0.02 };
      const change = (power) => this.set("temperature", 10 ** power);
      this.controls.temperature = slider(words.temperature, logarithm, (power) => (10 ** power).toFixed(2), change);
    }
    const all = [this.player.button, ...Object.values(this.controls)];
    for (const control of [this.player.button, this.controls.step]) control.hidden = queries.length === 1;
    return element("div", { class: "lesson-controls", role: "group", "aria-label": words.controls }, ...all);
  }

  /** Everything that depends on the numbers. */
  paint() {
    const theme = applyTheme(this.root);
    const options = { kind: this.get("kind"), temperature: this.get("temperature") };
    options.layer = Math.min(this.get("layer"), this.layers - 1);
    options.head = Math.min(this.get("head"), this.heads - 1);
    const weights = (name) => weightsOf(floats(this.get(name)), this.get("shape"), options);
    this.weights = weights("values");
    this.beside = this.get("beside_name") ? weights("beside") : null;
    const all = [this.weights, this.beside].filter(Boolean);
    this.largest = Math.max(...all.map((each) => scaleOf(each, this.keys.length)));
    const { gold, largest } = this;
    this.maps[0].paint(this.weights, { largest, table: theme.table, theme, gold });
    if (this.beside) this.maps[1].paint(this.beside, { largest, table: theme.table, theme, gold });
    else if (gold) {
      this.maps[1].paint(Float32Array.from(gold), { largest: 1, table: theme.goldTable, theme, numbers: false });
    }
    this.point();
  }

  /** Only what depends on the step and the cursor. The text follows when the picture is on the screen, since its layout
   * takes longer; the first time it comes at once. */
  point() {
    for (const map of this.maps) map.point(this.step, this.cursor);
    if (!this.status.textContent) return this.describe();
    this.pending ??= requestAnimationFrame(() =>
      setTimeout(() => {
        this.pending = null;
        this.describe();
      }),
    );
  }

  get step() {
    return Math.min(this.get("step"), this.queries.length - 1);
  }

  /** All text: beside the maps, in the controls, the legend, the status line, the tip and the table. */
  describe() {
    const { step } = this;
    this.writeLegend();
    for (const map of this.maps) map.markWords();
    for (const [name, control] of Object.entries(this.controls)) {
      const values = { step, form: Object.keys(FORMS).indexOf(this.get("form")) };
      control.show(name === "temperature" ? Math.log10(this.get(name)) : (values[name] ?? this.get(name)));
    }
    const writes = `${this.words.step} ${step + 1} ${this.words.of} ${this.queries.length}: ${this.words.writes}`;
    this.status.textContent = this.cursor ? this.textOf(this.cursor) : `${writes} ${this.rowText(step, ",")}`;
    if (this.cursor && !this.tip.hidden) this.tip.textContent = this.textOf(this.cursor); // another head, say
    if (this.details.open) this.writeTable();
  }

  rowText(row, comma = "") {
    const attended = Array.from(this.keys, (key, column) => [this.weights[row * this.keys.length + column], key]);
    return `“${shown(this.queries[row])}”${comma} ${this.words.reads} ${this.largestOf(attended)}`;
  }

  columnText(column) {
    const attending = Array.from(this.queries, (query, row) => [this.weights[row * this.keys.length + column], query]);
    return `“${shown(this.keys[column])}” ${this.words["is read by"]} ${this.largestOf(attending)}`;
  }

  /** The words with the three largest weights. */
  largestOf(pairs) {
    const most = pairs.filter(([weight]) => weight >= 0.005).sort(([one], [other]) => other - one);
    const named = most.slice(0, 3).map(([weight, word]) => `“${shown(word)}” ${short(weight)}`);
    return named.join(", ") || this.words.nothing;
  }

  /** A cell, a row or a column in words. */
  textOf({ row, column }) {
    if (column === null) return this.rowText(row);
    if (row === null) return this.columnText(column);
    const index = row * this.keys.length + column;
    const number = (weight) => (isMasked(weight) ? this.words.masked : short(weight, 3));
    const other = this.beside ? ` · ${this.get("beside_name")} ${number(this.beside[index])}` : "";
    const gold = this.gold ? ` · ${this.gold[index] ? this.words.gold : this.words["not gold"]}` : "";
    const words = `“${shown(this.queries[row])}” → “${shown(this.keys[column])}”`;
    return `${words}: ${number(this.weights[index])}${other}${gold}`;
  }

  writeLegend() {
    const theme = applyTheme(this.root);
    const form = this.get("form");
    const marks = [this.gold, this.weights.some(isMasked), this.weights.some(isWrong)].map(Boolean);
    const scaled = this.largest === 1 ? "" : ` (${this.words.scaled})`;
    const largest = ` ${short(this.largest)} ${this.words.weight}${scaled}`;
    const key = JSON.stringify([theme.name, form, marks, largest]);
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    const stops = theme.ramp.join(", ");
    const ramp = element("span", { class: "ramp", style: `background: linear-gradient(90deg, ${stops})` });
    const parts = [element("span", {}, "0 ", ramp, largest)];
    const sample = (name, word) => {
      const example = name === "masked" && form === "lines" ? "abc" : ""; // a word that is struck through
      parts.push(element("span", {}, element("span", { class: `sample ${name} ${form}` }, example), word));
    };
    const named = { gold: this.words.gold, masked: this.words.masked, wrong: this.words["not a number"] };
    Object.entries(named).forEach(([name, word], index) => marks[index] && sample(name, word));
    this.legend.replaceChildren(...parts);
  }

  /** The weights as a table; only the present row, if the table would be too long. */
  tableParts() {
    const { keys, queries, words } = this;
    const long = keys.length > LONGEST_TABLE || queries.length > LONGEST_TABLE;
    const rows = long ? [this.get("step")] : queries.map((_, row) => row);
    const cells = (row) => Array.from(keys, (_, column) => short(this.weights[row * keys.length + column], 3));
    const caption = long ? words["too large"] : `${words.query} ↓, ${words.key} →`;
    return [caption, keys.map(shown), rows.map((row) => [shown(queries[row]), ...cells(row)])];
  }

  /** Move the cursor of all maps to a cell, a row ({column: null}), a column ({row: null}), or nowhere (null). */
  moveTo(cell, map) {
    if (cell?.row === this.cursor?.row && cell?.column === this.cursor?.column) return;
    this.cursor = cell;
    this.point();
    this.tip.hidden = !cell || cell.row === null || cell.column === null;
    if (!this.tip.hidden) this.placeTip(cell, map);
  }

  /** Below and right of the cell, but inside the view. */
  placeTip(cell, map) {
    this.tip.textContent = this.textOf(cell);
    const view = this.root.getBoundingClientRect();
    const plot = map.plot.getBoundingClientRect();
    const { left, top } = map.tipOf(cell);
    const most = { left: view.width - this.tip.offsetWidth - 8, top: view.height - this.tip.offsetHeight - 2 };
    this.tip.style.left = `${Math.max(4, Math.min(plot.left - view.left + left, most.left))}px`;
    this.tip.style.top = `${Math.min(plot.top - view.top + top, most.top)}px`;
  }

  pressed(event, map) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape") this.moveTo(null);
    const next = nextCell(event.key, this.cursor ?? { row: this.get("step"), column: null }, this.get("shape"));
    if (!next) return;
    event.preventDefault();
    this.moveTo(next, map);
  }
}

const render = mount(AttentionView);

export default { render };
