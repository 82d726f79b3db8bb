// One heat map on three canvases: bars of the present row, cells, and what moves above the cells (row, cursor).
// `paint` draws what depends on the weights; `point` only what depends on step and cursor, to be quick.

import { colourOf, css, element, hatch, isMasked, isWrong, LABEL, labels } from "./common.js";
import { letterColour, plot, sharp, short, TALLEST, widthsOf } from "./common.js";

// Pixels of the page:
const LARGEST_CELL = 36;
const BARS = 30; // the height of a bar for the largest weight
const WITH_NUMBERS = 26; // from this size of cell on
const WITH_LINES = 8;
const SLANT = Math.SQRT1_2;
const GREY = [128, 128, 128];
const LATER = 0.4; // how far later rows fade into the page: their numbers stay readable

/** Pixels of a cell, such that the map is at most `room` wide; even of 512 words each gets one pixel. */
export function cellSize(queries, keys, room) {
  return Math.max(1, Math.min(LARGEST_CELL, Math.floor(room / keys), Math.floor(TALLEST / queries)));
}

/** Colours as numbers of four bytes each, which are quick to write: there may be many cells. */
const packed = (colours) => new Uint32Array(Uint8Array.from(colours.flatMap((rgb) => [...rgb, 255])).buffer);

export class Heatmap {
  /** `label` is for screen readers; `room` is the largest width of all cells. */
  constructor({ title, label, queries, keys, room }) {
    Object.assign(this, { queries, keys, cell: cellSize(queries.length, keys.length, room) });
    this.every = Math.ceil(LABEL / this.cell);
    this.width = this.cell * keys.length;
    this.height = this.cell * queries.length;
    Object.assign(this, plot(label, ["bars", "cells", "above"]));
    this.placeLabels();
    const caption = element("figcaption", { style: `margin-left: ${this.left}px` }, title);
    this.element = element("figure", { class: "lesson-map" }, caption, this.plot);
  }

  /** Queries on the left, keys above the bars: upright if they are as narrow as their column, else slanting. */
  placeLabels() {
    const keyWidths = widthsOf(this.keys);
    const upright = Math.max(...keyWidths) <= this.cell * this.every - 3;
    const reach = (width) => (upright ? width / 2 : width * SLANT + 8);
    const ends = keyWidths.map((width, column) => (column + 0.5) * this.cell + reach(width));
    this.left = Math.max(...widthsOf(this.queries)) + 8;
    this.top = BARS + (upright ? 20 : Math.ceil(Math.max(...keyWidths) * SLANT) + 14);
    this.plot.style.width = `${this.left + Math.ceil(Math.max(this.width + 2, ...ends))}px`;
    this.plot.style.height = `${this.top + this.height + 2}px`;
    for (const canvas of this.canvases) Object.assign(canvas.style, { left: `${this.left}px`, top: `${this.top}px` });
    this.canvases[0].style.top = `${this.top - BARS}px`;
    const [bottom, right] = [`${this.height + BARS + 4}px`, `calc(100% - ${this.left - 6}px)`];
    this.keyLabels = labels(this.plot, this.keys, {
      ...{ side: "column", name: upright ? "key" : "key slanting", every: this.every },
      styleOf: (column) => ({ left: `${this.left + (column + 0.5) * this.cell}px`, bottom }),
    });
    this.queryLabels = labels(this.plot, this.queries, {
      ...{ side: "row", name: "query", every: this.every },
      styleOf: (row) => ({ right, top: `${this.top + (row + 0.5) * this.cell}px` }),
    });
  }

  /** Draw all cells: colours, lines, numbers where there is room, hatching of masked cells and NaN, gold outlines. */
  paint(weights, { largest, table, theme, gold = null, numbers = true }) {
    if (this.table !== table) this.colours = packed([...table, GREY]);
    Object.assign(this, { weights, largest, table, theme });
    const context = sharp(this.canvases[1], this.width, this.height);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.coloured(), 0, 0, this.width, this.height);
    if (this.cell >= WITH_LINES) {
      this.lines(context);
      Object.assign(context, { font: "11px system-ui, sans-serif", textAlign: "center", textBaseline: "middle" });
      weights.forEach((weight, index) => this.finishCell(context, index, weight, numbers));
    }
    context.strokeStyle = theme.line;
    context.strokeRect(0.5, 0.5, this.width - 1, this.height - 1);
    gold?.forEach((linked, index) => linked && this.outline(context, this.box(index)));
  }

  /** A small picture with one pixel for each cell. */
  coloured() {
    this.small ??= new OffscreenCanvas(this.keys.length, this.queries.length).getContext("2d");
    const image = this.small.createImageData(this.keys.length, this.queries.length);
    const pixels = new Uint32Array(image.data.buffer);
    const last = this.table.length - 1;
    const masked = this.cell < WITH_LINES ? last + 1 : 0; // grey where cells are too small for hatching
    for (let index = 0; index < pixels.length; index++) {
      const weight = this.weights[index];
      let place = isMasked(weight) ? masked : 0;
      if (weight > 0 && weight < Infinity) place = Math.min(last, Math.round((weight / this.largest) * last));
      pixels[index] = this.colours[place];
    }
    this.small.putImageData(image, 0, 0);
    return this.small.canvas;
  }

  lines(context) {
    context.beginPath();
    for (let column = 1; column < this.keys.length; column++) {
      context.moveTo(column * this.cell, 0);
      context.lineTo(column * this.cell, this.height);
    }
    for (let row = 1; row < this.queries.length; row++) {
      context.moveTo(0, row * this.cell);
      context.lineTo(this.width, row * this.cell);
    }
    Object.assign(context, { strokeStyle: this.theme.line, lineWidth: 1, globalAlpha: 0.35 });
    context.stroke();
    context.globalAlpha = 1;
  }

  finishCell(context, index, weight, numbers) {
    const [x, y, width, height] = this.box(index);
    if (isMasked(weight)) hatch(context, this.box(index), this.theme.line);
    else if (isWrong(weight)) hatch(context, this.box(index), this.theme.wrong, true);
    else if (numbers && this.cell >= WITH_NUMBERS && weight >= 0.005) {
      context.fillStyle = letterColour(colourOf(weight, this.largest, this.table));
      context.fillText(short(weight), x + width / 2, y + height / 2 + 0.5);
    }
  }

  outline(context, [x, y, width, height]) {
    const line = this.cell >= WITH_LINES ? 2 : 1;
    for (const [lineWidth, strokeStyle] of [[2 * line, this.theme.page], [line, this.theme.gold]]) {
      Object.assign(context, { lineWidth, strokeStyle });
      context.strokeRect(x + 1 + line / 2, y + 1 + line / 2, width - 2 - line, height - 2 - line);
    }
  }

  /** [x, y, width, height] of a cell. */
  box(index) {
    const [row, column] = [Math.floor(index / this.keys.length), index % this.keys.length];
    return [column * this.cell, row * this.cell, this.cell, this.cell];
  }

  /** Show the present row, the later ones, and the cursor: a cell {row, column}, one of them null for a whole column
   * or row, or null. */
  point(step, cursor) {
    const row = (this.row = cursor?.row ?? step);
    this.drawBars();
    const shows = JSON.stringify([step, cursor, this.theme.name, window.devicePixelRatio]);
    if (this.shows === shows) return; // other weights at the same step
    this.shows = shows;
    this.drawAbove(step, cursor);
    this.queryLabels.forEach((label, index) => {
      label.classList.toggle("now", index === row);
      label.classList.toggle("later", index > step);
    });
    this.keyLabels.forEach((label, index) => label.classList.toggle("now", index === cursor?.column));
  }

  drawAbove(step, cursor) {
    const context = sharp(this.canvases[2], this.width, this.height);
    const { row = null, column = null } = cursor ?? {};
    context.fillStyle = this.theme.page;
    context.globalAlpha = LATER;
    context.fillRect(0, (step + 1) * this.cell, this.width, this.height);
    context.globalAlpha = 1;
    this.frame(context, [0, step * this.cell, this.width, this.cell], cursor ? 1 : 2);
    if (row !== null) this.frame(context, [0, row * this.cell, this.width, this.cell], 1);
    if (column !== null) this.frame(context, [column * this.cell, 0, this.cell, this.height], 1);
    if (row !== null && column !== null) this.frame(context, this.box(row * this.keys.length + column), 3);
  }

  frame(context, [x, y, width, height], line) {
    Object.assign(context, { strokeStyle: this.theme.ink, lineWidth: line });
    context.strokeRect(x + line / 2, y + line / 2, width - line, height - line);
  }

  /** The weight of a key in the present row, as a part of the largest weight. */
  share(column) {
    const weight = this.weights[this.row * this.keys.length + column];
    return weight > 0 && weight < Infinity ? Math.min(1, weight / this.largest) : 0;
  }

  /** The weights of the present row as bars above the map, below the words. */
  drawBars() {
    const context = sharp(this.canvases[0], this.width, BARS);
    const gap = this.cell > 6 ? 2 : 0;
    for (let column = 0; column < this.keys.length; column++) {
      const share = this.share(column);
      const high = share * (BARS - 4);
      context.fillStyle = css(colourOf(0.35 + 0.65 * share, 1, this.table));
      context.fillRect(column * this.cell + gap, BARS - high, this.cell - 2 * gap, high);
    }
  }

  /** Words with little weight turn pale. */
  markWords() {
    for (let column = 0; column < this.keys.length; column += this.every) {
      const ink = Math.round(60 + 40 * this.share(column)); // a colour, since each opacity would be a layer of its own
      this.keyLabels[column].style.color = `color-mix(in srgb, var(--ink) ${ink}%, var(--page))`;
    }
  }

  /** What is under the pointer: a cell {row, column}, with a null for the word of a row or a column, or null. */
  cellAt(event) {
    const { row: ofWord, column: ofKey } = event.target.dataset;
    if (ofWord !== undefined || ofKey !== undefined) {
      return { row: ofWord === undefined ? null : Number(ofWord), column: ofKey === undefined ? null : Number(ofKey) };
    }
    const corner = this.canvases[1].getBoundingClientRect();
    const row = Math.floor((event.clientY - corner.top) / this.cell);
    const column = Math.floor((event.clientX - corner.left) / this.cell);
    const inside = row >= 0 && row < this.queries.length && column >= 0 && column < this.keys.length;
    return inside ? { row, column } : null;
  }

  /** Where the tip of a cell belongs, in pixels from the plot's corner: below it, to the right. */
  tipOf({ row, column }) {
    return { left: this.left + (column + 0.6) * this.cell, top: this.top + (row + 1) * this.cell + 6 };
  }
}
