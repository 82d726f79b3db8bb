// Weights as lines between two columns of words: queries on the left, keys on the right, as thick as the weight.
// The same methods as a Heatmap, so that AttentionView can show either.

import { colourOf, css, element, isMasked, isWrong, LABEL, labels } from "./common.js";
import { plot, sharp, TALLEST, widthsOf } from "./common.js";

// Pixels of the page:
const TALLEST_ROW = 24;
const SPACE = 190; // between the columns
const THICKEST = 9;
const SMALLEST = 0.01; // part of the largest weight: thinner lines are not drawn
const AWAY = 6; // from a word to its lines

/** The height of a row, such that all rows fit, and how many rows a word needs. */
export function rowsOf(queries, keys) {
  const row = Math.max(1, Math.min(TALLEST_ROW, Math.floor(TALLEST / Math.max(queries, keys))));
  return { row, every: Math.ceil(LABEL / row) };
}

/** Where the line of a cell runs, from the middle of the query's row to that of the key's; the shorter column is
 * centred beside the longer one. */
export function lineOf({ row, column }, queries, keys, height) {
  const longest = Math.max(queries, keys);
  const middle = (place, count) => (place + 0.5 + (longest - count) / 2) * height;
  return { from: middle(row, queries), to: middle(column, keys) };
}

const widest = (tokens) => Math.max(...widthsOf(tokens));

export class Lines {
  constructor({ title, label, queries, keys }) {
    Object.assign(this, { queries, keys, ...rowsOf(queries.length, keys.length) });
    this.left = widest(queries) + AWAY + 4;
    this.height = this.row * Math.max(queries.length, keys.length);
    Object.assign(this, plot(label, ["all", "present"]));
    for (const canvas of this.canvases) canvas.style.left = `${this.left}px`;
    this.plot.style.width = `${this.left + SPACE + widest(keys) + AWAY + 4}px`;
    this.plot.style.height = `${this.height}px`;
    const [right, left] = [`calc(100% - ${this.left - AWAY}px)`, `${this.left + SPACE + AWAY}px`];
    const { every } = this;
    this.queryLabels = labels(this.plot, queries, {
      ...{ side: "row", name: "word row", every },
      styleOf: (row) => ({ right, top: `${this.ends({ row, column: 0 }).from}px` }),
    });
    this.keyLabels = labels(this.plot, keys, {
      ...{ side: "column", name: "word column", every },
      styleOf: (column) => ({ left, top: `${this.ends({ row: 0, column }).to}px` }),
    });
    this.element = element("figure", { class: "lesson-map" }, element("figcaption", {}, title), this.plot);
  }

  ends(cell) {
    return lineOf(cell, this.queries.length, this.keys.length, this.row);
  }

  /** Draw all lines, faintly: the present row comes above them. */
  paint(weights, { largest, table, theme, gold = null }) {
    Object.assign(this, { weights, largest, table, theme, gold });
    const context = sharp(this.canvases[0], SPACE, this.height);
    context.globalAlpha = 0.22;
    this.queries.forEach((_, row) => this.keys.forEach((_, column) => this.line(context, { row, column })));
  }

  /** One line, unless its weight is small: as thick as the weight, dotted and red for NaN and infinities. */
  line(context, cell) {
    const weight = this.weights[cell.row * this.keys.length + cell.column];
    if (isWrong(weight)) this.stroke(context, cell, 2, this.theme.wrong, [2, 4]);
    const share = Math.min(1, weight / this.largest);
    if (isWrong(weight) || isMasked(weight) || share < SMALLEST) return;
    this.stroke(context, cell, Math.max(0.75, THICKEST * share), css(colourOf(0.35 + 0.65 * share, 1, this.table)), []);
  }

  stroke(context, cell, lineWidth, strokeStyle, dashes) {
    const { from, to } = this.ends(cell);
    context.setLineDash(dashes);
    Object.assign(context, { lineWidth, strokeStyle });
    context.beginPath();
    context.moveTo(0, from);
    context.bezierCurveTo(SPACE * 0.4, from, SPACE * 0.6, to, SPACE, to);
    context.stroke();
  }

  /** The lines of the present row, or of the column under the cursor; gold links are dashed. */
  point(step, cursor) {
    const context = sharp(this.canvases[1], SPACE, this.height);
    const column = cursor?.column ?? null;
    const row = cursor?.row ?? (column === null ? step : null);
    const cells =
      row === null
        ? this.queries.map((_, index) => ({ row: index, column }))
        : this.keys.map((_, index) => ({ row, column: index }));
    for (const cell of cells) this.line(context, cell);
    for (const cell of cells) {
      const linked = this.gold?.[cell.row * this.keys.length + cell.column];
      if (linked) this.stroke(context, cell, 1.5, this.theme.gold, [5, 4]);
    }
    if (row !== null && column !== null) this.stroke(context, { row, column }, 1.5, this.theme.ink, []);
    this.present = { row, column };
  }

  /** Mark the words under the cursor; words with little weight turn pale. */
  markWords() {
    const { row, column } = this.present;
    this.queryLabels.forEach((label, index) => label.classList.toggle("now", index === row));
    this.keyLabels.forEach((label, index) => {
      const weight = row === null ? Number(index === column) : this.weights[row * this.keys.length + index];
      const share = weight > 0 && weight < Infinity ? Math.min(1, weight / this.largest) : 0;
      label.classList.toggle("now", index === column);
      label.classList.toggle("masked", row !== null && isMasked(weight));
      label.style.opacity = 0.7 + 0.3 * share;
    });
  }

  /** The word under the pointer: {row} for a query, {column} for a key, or null. */
  cellAt(event) {
    const box = this.canvases[0].getBoundingClientRect();
    const onTheLeft = event.clientX < box.left + SPACE / 2;
    const count = onTheLeft ? this.queries.length : this.keys.length;
    const above = ((Math.max(this.queries.length, this.keys.length) - count) / 2) * this.row;
    const place = Math.floor((event.clientY - box.top - above) / this.row);
    if (place < 0 || place >= count) return null;
    return onTheLeft ? { row: place, column: null } : { row: null, column: place };
  }

  /** Where the tip of a cell belongs, in pixels from the plot's corner. */
  tipOf(cell) {
    const { from, to } = this.ends(cell);
    return { left: this.left + SPACE / 2, top: (from + to) / 2 + 8 };
  }
}
