// The plane of SoftLookupView: keys with their names, the query that a reader moves, lines as thick as the weights, and
// the context. `paint` draws what stays; `point` what changes with the query.

import { colourOf, css, decimalsOf, element, FONTS, languageOf, onStep, short, svg, ticksOf } from "./common.js";
import { hullOf, limitsOf, sidesOf } from "./soft_lookup.js";

// Pixels of the page:
const EDGE = { left: 34, right: 6, top: 6, bottom: 20 }; // around the plane
const LABEL_SIZE = { height: 15, number: 25, away: 12 }; // a name; room for its number; from the middle of its dot
const LONGEST_NAME = 18; // letters
const SMALL = 0.005; // weights below are not written beside their key
const LARGE_STEPS = 10; // with Shift

const set = (node, attributes) => Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));

/** The query's ring, or the context's diamond, around 0, 0. */
export function mark(name, letter) {
  const shape = name === "query" ? svg("circle", { r: 10 }) : svg("path", { d: "M0 -9L9 0L0 9L-9 0Z" });
  set(shape, { class: name });
  return svg("g", {}, shape, svg("text", { class: "letter", y: 4 }, letter));
}

/** The colour of a weight, visible on the page also where the weight is small. */
export const shadeOf = (weight, table) => css(colourOf(0.35 + 0.65 * weight, 1, table));

const clipped = (name) => {
  const letters = [...name];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join("")}…` : name;
};

export class Plane {
  /** `label` is for screen readers; `moved` is called with the place where the reader puts the query. */
  constructor({ label, names, hasContext, moved }) {
    Object.assign(this, { names: names.map(clipped), hasContext, moved });
    this.element = element("div", { class: "lesson-plane", tabindex: "0", role: "application", "aria-label": label });
    this.element.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      this.element.setPointerCapture(event.pointerId);
      this.drag(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.drag(event);
    });
    this.element.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Everything that does not move with the query. */
  paint(keys, query, width, table) {
    Object.assign(this, { keys, table, limits: limitsOf([...keys, [0, 0], query]) });
    const { x, y } = this.limits;
    this.scale = (width - EDGE.left - EDGE.right) / (x[1] - x[0]); // pixels for 1
    const [[left, bottom], [right, top]] = [this.at([x[0], y[0]]), this.at([x[1], y[1]])];
    const corners = hullOf(keys).map((key) => this.at(key).join(" "));
    const hull = this.hasContext ? [svg("path", { class: "hull", d: `M${corners.join("L")}Z` })] : [];
    this.lines = keys.map(() => svg("line", { class: "line" }));
    this.dots = keys.map((key) => svg("circle", { class: "dot", cx: this.at(key)[0], cy: this.at(key)[1] }));
    this.marks = { query: mark("query", "q"), context: mark("context", "c") };
    const marks = this.hasContext ? [this.marks.query, this.marks.context] : [this.marks.query];
    const names = this.drawNames([left, top, width, bottom]);
    const all = [...this.drawGrid(left, top, right, bottom), ...hull, ...this.lines, ...this.dots, ...names, ...marks];
    const size = { width, height: bottom + EDGE.bottom, "aria-hidden": "true" };
    this.element.replaceChildren(svg("svg", size, ...all));
  }

  /** A place in pixels of the drawing. */
  at([x, y]) {
    const { limits, scale } = this;
    return [EDGE.left + (x - limits.x[0]) * scale, EDGE.top + (limits.y[1] - y) * scale];
  }

  drawGrid(left, top, right, bottom) {
    const line = (tick, ends) => svg("line", { class: tick ? "grid" : "axis", ...ends });
    const text = (tick, place) => svg("text", { class: "tick", ...place }, String(tick).replace("-", "−"));
    const across = ticksOf(this.limits.x).map((tick) => [tick, this.at([tick, 0])[0]]);
    const upward = ticksOf(this.limits.y).map((tick) => [tick, this.at([0, tick])[1]]);
    return [
      ...across.map(([tick, x]) => line(tick, { x1: x, x2: x, y1: top, y2: bottom })),
      ...upward.map(([tick, y]) => line(tick, { x1: left, x2: right, y1: y, y2: y })),
      ...across.map(([tick, x]) => text(tick, { x, y: bottom + 14, "text-anchor": "middle" })),
      ...upward.map(([tick, y]) => text(tick, { x: left - 5, y: y + 4, "text-anchor": "end" })),
      svg("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top }),
    ];
  }

  /** Each name beside its dot, and room for its weight beyond it. */
  drawNames(room) {
    const pen = element("canvas").getContext("2d");
    pen.font = `13px ${FONTS}`;
    const widths = this.names.map((name) => Math.ceil(pen.measureText(name).width));
    const places = sidesOf(this.keys.map((key) => this.at(key)), widths, room, LABEL_SIZE);
    this.numbers = [];
    return places.flatMap(({ side, reach, box }, key) => {
      const isBefore = side[0] < 0; // the number stands left of the name
      const [left, y] = [isBefore ? box[2] - widths[key] : box[0], box[1] + 12];
      const [x, anchor] = isBefore ? [left - 4, "end"] : [left + widths[key] + 4, "start"];
      this.numbers.push(svg("text", { class: "number", x, y, "text-anchor": anchor }));
      const name = svg("text", { class: "name", x: left, y, lang: languageOf([this.names[key]]) }, this.names[key]);
      return [...(reach > 1 ? [this.leader(key, box)] : []), name, this.numbers[key]];
    });
  }

  /** A thin line from a dot to its name, where that could not be written beside it. */
  leader(key, [left, top, right, bottom]) {
    const [x1, y1] = this.at(this.keys[key]);
    const nearest = { x2: Math.max(left, Math.min(right, x1)), y2: Math.max(top, Math.min(bottom, y1)) };
    return svg("line", { class: "leader", x1, y1, ...nearest });
  }

  holds(query) {
    const { x, y } = this.limits;
    return query.every((value, axis) => value >= [x, y][axis][0] && value <= [x, y][axis][1]);
  }

  /** Everything that moves with the query; NaN draws nothing. */
  point(query, weights, context) {
    this.query = query;
    const [x1, y1] = this.at(query);
    weights.forEach((weight, key) => {
      const share = weight >= 0 ? weight : 0;
      const [x2, y2] = this.at(this.keys[key]);
      const colour = shadeOf(share, this.table);
      set(this.lines[key], { x1, y1, x2, y2, stroke: colour, "stroke-width": share > 0 ? 0.6 + 8 * share : 0 });
      set(this.dots[key], { r: 3.5 + 5.5 * Math.sqrt(share), fill: colour });
      this.numbers[key].textContent = share >= SMALL ? short(share) : "";
    });
    set(this.marks.query, { transform: `translate(${x1} ${y1})` });
    const isThere = this.hasContext && context.every(Number.isFinite);
    set(this.marks.context, { visibility: isThere ? "visible" : "hidden" });
    if (isThere) set(this.marks.context, { transform: `translate(${this.at(context).join(" ")})` });
  }

  /** A coordinate as the query's slider shows it. */
  text(number) {
    return number.toFixed(decimalsOf(this.limits.step)).replace("-", "−");
  }

  /** Put the query here, but not beyond the plane. */
  moveTo(place) {
    const { x, y, step } = this.limits;
    const inside = ([low, high], value) => Math.max(low, Math.min(high, onStep(value, step)));
    this.moved([inside(x, place[0]), inside(y, place[1])]);
  }

  drag(event) {
    const { x, y } = this.limits;
    const corner = this.element.getBoundingClientRect();
    const [right, down] = [event.clientX - corner.left - EDGE.left, event.clientY - corner.top - EDGE.top];
    this.moveTo([x[0] + right / this.scale, y[1] - down / this.scale]);
  }

  pressed(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!steps || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const size = this.limits.step * (event.shiftKey ? LARGE_STEPS : 1);
    this.moveTo(this.query.map((value, axis) => value + size * steps[axis]));
  }
}
