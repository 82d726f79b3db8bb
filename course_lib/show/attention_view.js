// AttentionView: who reads what, step by step. Python sends the numbers once; from then on everything happens here.
// `model` needs get, set, save_changes, on and off: the notebook's model has them, and so has the one of page.js.

import { LessonView, mounted, Player } from "./base.js";
import { applyTheme, choice, element, floats, isMasked, isWrong, short, shown, slider, softmax } from "./common.js";
import { Heatmap } from "./heatmap.js";

const LONGEST_TABLE = 64;
const SECONDS_A_STEP = 0.8;
const SCALE_ABOVE = 16; // keys; as in pictures
const ROOM = { alone: 440, beside: 340 }; // pixels for the cells of a map

/** The weights (query × key, −Infinity where masked) of one layer and head, from weights or from scores. */
export function weightsOf(values, [, heads, queries, keys], { layer, head, kind, temperature }) {
  const start = (layer * heads + head) * queries * keys;
  const weights = values.slice(start, start + queries * keys);
  if (kind === "weights") return weights;
  for (let row = 0; row < queries; row++) {
    const scores = weights.slice(row * keys, (row + 1) * keys);
    const soft = softmax(scores, temperature).map((weight, key) => (isMasked(scores[key]) ? -Infinity : weight));
    weights.set(soft, row * keys);
  }
  return weights;
}

/** The largest weight of the colours: 1, or what occurs if there are many keys or weights above 1. */
export function scaleOf(weights, keys) {
  const largest = weights.reduce((most, weight) => (weight < Infinity && weight > most ? weight : most), 0);
  return keys > SCALE_ABOVE || largest > 1.005 ? largest || 1 : 1;
}

class AttentionView extends LessonView {
  static traits = {
    build: ["shape", "query_tokens", "key_tokens", "gold", "kind"],
    paint: ["values", "layer", "head", "temperature"],
    point: ["step"],
  };

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
    const names = this.gold ? [words.learned, words.gold] : [""];
    this.maps = names.map((title, index) => {
      const label = `${words["heat map"]} ${title}, ${size}. ${words.help}`;
      const room = this.gold ? ROOM.beside : ROOM.alone;
      return new Heatmap({ title, label, queries, keys, room, sideLabels: index === 0 });
    });
    for (const map of this.maps) {
      map.plot.addEventListener("pointermove", (event) => this.moveTo(map.cellAt(event), map));
      map.plot.addEventListener("pointerleave", () => this.moveTo(null));
      map.plot.addEventListener("click", (event) => {
        const cell = map.cellAt(event);
        if (cell) this.set("step", cell.row);
      });
      map.plot.addEventListener("keydown", (event) => this.pressed(event, map));
      map.plot.addEventListener("blur", () => this.moveTo(null));
    }
  }

  buildControls() {
    const { words, queries } = this;
    const ofAll = (step) => `${step + 1} ${words.of} ${queries.length}: ${shown(queries[step])}`;
    const steps = { min: 0, max: queries.length - 1, step: 1 };
    this.player?.pause();
    this.player = this.buildPlayer();
    this.controls = { step: slider(words.step, steps, ofAll, (step) => this.set("step", step)) };
    const longest = Math.max(...queries.map((_, step) => ofAll(step).length));
    this.controls.step.style.setProperty("--letters", longest); // so that nothing moves when the word changes
    if (this.layers > 1) this.controls.layer = choice(words.layer, this.layers, (layer) => this.set("layer", layer));
    if (this.heads > 1) this.controls.head = choice(words.head, this.heads, (head) => this.set("head", head));
    if (this.get("kind") === "scores") {
      const logarithm = { min: -1, max: 1, step: 0.02 };
      const change = (power) => this.set("temperature", 10 ** power);
      this.controls.temperature = slider(words.temperature, logarithm, (power) => (10 ** power).toFixed(2), change);
    }
    const all = [this.player.button, ...Object.values(this.controls)];
    return element("div", { class: "lesson-controls", role: "group", "aria-label": words.controls }, ...all);
  }

  /** Everything that depends on the numbers. */
  paint() {
    const theme = applyTheme(this.root);
    const options = { kind: this.get("kind"), temperature: this.get("temperature") };
    options.layer = Math.min(this.get("layer"), this.layers - 1);
    options.head = Math.min(this.get("head"), this.heads - 1);
    this.weights = weightsOf(floats(this.get("values")), this.get("shape"), options);
    this.largest = scaleOf(this.weights, this.keys.length);
    this.maps[0].paint(this.weights, { largest: this.largest, table: theme.table, theme, gold: this.gold });
    if (this.gold) {
      const gold = Float32Array.from(this.gold);
      this.maps[1].paint(gold, { largest: 1, table: theme.goldTable, theme, numbers: false });
    }
    this.writeLegend(theme);
    this.point();
  }

  /** Only what depends on the step and the cursor. */
  point() {
    const step = Math.min(this.get("step"), this.queries.length - 1);
    for (const map of this.maps) map.point(step, this.cursor);
    for (const [name, control] of Object.entries(this.controls)) {
      control.show(name === "temperature" ? Math.log10(this.get(name)) : name === "step" ? step : this.get(name));
    }
    const writes = `${this.words.step} ${step + 1} ${this.words.of} ${this.queries.length}: ${this.words.writes}`;
    this.status.textContent = this.cursor ? this.cellText(this.cursor) : `${writes} ${this.rowText(step)}`;
    if (this.details.open) this.writeTable();
  }

  rowText(row) {
    const read = Array.from(this.keys, (key, column) => [this.weights[row * this.keys.length + column], key])
      .filter(([weight]) => weight >= 0.005)
      .sort(([one], [other]) => other - one)
      .slice(0, 3);
    const most = read.map(([weight, key]) => `“${shown(key)}” ${short(weight)}`).join(", ");
    return `“${shown(this.queries[row])}”, ${this.words.reads} ${most || this.words.nothing}`;
  }

  cellText({ row, column }) {
    const index = row * this.keys.length + column;
    const weight = this.weights[index];
    const number = isMasked(weight) ? this.words.masked : short(weight, 3);
    const gold = this.gold ? ` · ${this.gold[index] ? this.words.gold : this.words["not gold"]}` : "";
    return `“${shown(this.queries[row])}” → “${shown(this.keys[column])}”: ${number}${gold}`;
  }

  writeLegend(theme) {
    const scaled = this.largest === 1 ? "" : ` (${this.words.scaled})`;
    const stops = theme.ramp.join(", ");
    const ramp = element("span", { class: "ramp", style: `background: linear-gradient(90deg, ${stops})` });
    const parts = [element("span", {}, "0 ", ramp, ` ${short(this.largest)} ${this.words.weight}${scaled}`)];
    const sample = (name, word) => parts.push(element("span", {}, element("span", { class: `sample ${name}` }), word));
    if (this.gold) sample("gold", this.words.gold);
    if (this.weights.some(isMasked)) sample("masked", this.words.masked);
    if (this.weights.some(isWrong)) sample("wrong", this.words["not a number"]);
    this.legend.replaceChildren(...parts);
  }

  /** The same numbers as a table; when there are too many for one, the present row only. */
  tableParts() {
    const { keys, queries, words } = this;
    const long = keys.length > LONGEST_TABLE || queries.length > LONGEST_TABLE;
    const rows = long ? [this.get("step")] : queries.map((_, row) => row);
    const cells = (row) => Array.from(keys, (_, column) => short(this.weights[row * keys.length + column], 3));
    const caption = long ? words["too large"] : `${words.query} ↓, ${words.key} →`;
    return [caption, keys.map(shown), rows.map((row) => [shown(queries[row]), ...cells(row)])];
  }

  /** Put the cursor on a cell ({row, column}), or take it away (null), in both maps. */
  moveTo(cell, map) {
    if (cell?.row === this.cursor?.row && cell?.column === this.cursor?.column) return;
    this.cursor = cell;
    this.point();
    this.tip.hidden = !cell;
    if (cell) this.placeTip(cell, map);
  }

  /** Below and right of the cell, but inside the view. */
  placeTip({ row, column }, map) {
    this.tip.textContent = this.cellText({ row, column });
    const view = this.root.getBoundingClientRect();
    const plot = map.canvases[1].getBoundingClientRect();
    const left = plot.left - view.left + (column + 0.6) * map.cell;
    const top = plot.top - view.top + (row + 1) * map.cell + 6;
    this.tip.style.left = `${Math.max(4, Math.min(left, view.width - this.tip.offsetWidth - 8))}px`;
    this.tip.style.top = `${Math.min(top, view.height - this.tip.offsetHeight - 2)}px`;
  }

  pressed(event, map) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { row, column } = this.cursor ?? { row: this.get("step"), column: -1 };
    const places = {
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      Home: [row, 0],
      End: [row, this.keys.length - 1],
    };
    if (event.key === "Escape") this.moveTo(null);
    if (!(event.key in places)) return;
    event.preventDefault();
    const inside = (place, count) => Math.max(0, Math.min(count - 1, place));
    const [nextRow, nextColumn] = places[event.key];
    this.moveTo({ row: inside(nextRow, this.queries.length), column: inside(nextColumn, this.keys.length) }, map);
  }

  /** Plays the steps, from the first one if the last is reached. */
  buildPlayer() {
    const isLast = () => this.get("step") >= this.queries.length - 1;
    const move = (step) => {
      this.set("step", step);
      return true;
    };
    return new Player({
      words: this.words,
      seconds: SECONDS_A_STEP,
      begin: () => isLast() && move(0),
      next: () => !isLast() && move(this.get("step") + 1),
      // a word a second is too much to be read aloud
      changed: (playing) => this.status?.setAttribute("aria-live", playing ? "off" : "polite"),
    });
  }

  end() {
    this.player.pause();
    super.end();
  }
}

function render(place) {
  return mounted(AttentionView, place);
}

export default { render };
