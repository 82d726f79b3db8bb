// The unrolled view without a page: its small steps, what is known when, and where things lie.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const view = await import(pathToFileURL(process.env.VIEW_MODULE));

const step = (name) => ({ name, formula: "", uses: "" });
const RECIPE = { encode: [step("encode")], hand_over: [step("start")], decode: ["scores", "weights", "write"].map(step) };
const [N, M] = [3, 2];
const SCHEDULE = view.scheduleOf(RECIPE, N, M);
const GIVEN = {
  left: 40,
  sourceWidths: [20, 60, 44],
  wordWidths: [44, 10, 44],
  sizes: { source: 64, state: 32, context: 64, combined: 0 },
  bidirectional: true,
  lines: 2,
};

test("small steps: one for each source word, the hand-over, all of a decoding step for each word written", () => {
  const steps = SCHEDULE.map(({ name, time, place }) => `${name} ${time}.${place}`);
  const decoding = [1, 2].flatMap((time) => [`scores ${time}.0`, `weights ${time}.1`, `write ${time}.2`]);
  assert.deepEqual(steps, ["encode 1.0", "encode 2.0", "encode 3.0", "start 0.0", ...decoding]);
});

test("a step is known from the moment it is done, and not before", () => {
  assert.deepEqual(view.knownAt(SCHEDULE, 1), { encode: 2 });
  assert.deepEqual(view.knownAt(SCHEDULE, 3), { encode: 3, start: 0 });
  assert.deepEqual(view.knownAt(SCHEDULE, 8), { encode: 3, start: 0, scores: 2, weights: 2, write: 1 });
});

test("keys go by steps, by time steps, to the ends and not beyond; others go nowhere", () => {
  const go = (key, from) => view.stepAfter(key, from, SCHEDULE);
  assert.deepEqual([go("ArrowRight", 4), go("ArrowLeft", 4), go("ArrowDown", 4), go("ArrowUp", 4)], [5, 3, 5, 3]);
  assert.deepEqual([go("Home", 4), go("End", 4), go("ArrowLeft", 0), go("ArrowRight", 9)], [0, 9, 0, 9]);
  assert.deepEqual([go("PageDown", 0), go("PageDown", 3), go("PageDown", 5), go("PageDown", 8)], [1, 4, 7, 9]);
  assert.deepEqual([go("PageUp", 9), go("PageUp", 7), go("PageUp", 4), go("PageUp", 0)], [7, 4, 3, 0]);
  assert.equal(go("x", 4), undefined);
});

test("words stand beside each other in their order, and never overlap, on every level", () => {
  for (const level of view.LEVELS) {
    const layout = view.layoutOf({ ...GIVEN, ...level });
    for (const [places, widths] of [[layout.source, GIVEN.sourceWidths], [layout.decoder, GIVEN.wordWidths]]) {
      const half = widths.map((width) => (width * level.letters) / view.LEVELS[0].letters / 2);
      places.slice(1).forEach((place, i) => assert.ok(place - places[i] >= half[i] + half[i + 1] + level.gap - 1e-9));
    }
    assert.ok(layout.contextAt > layout.source.at(-1));
    assert.ok(layout.width >= Math.max(layout.contextAt, layout.decoder.at(-1)));
  }
});

test("the roomiest level that fits is taken, the tightest one if none does", () => {
  const widths = view.LEVELS.map((level) => view.layoutOf({ ...GIVEN, ...level }).width);
  assert.deepEqual([...widths].sort((one, other) => other - one), widths);
  view.LEVELS.forEach(({ gap }, place) => assert.equal(view.layoutWithin(widths[place], GIVEN).gap, gap));
  assert.equal(view.layoutWithin(10, GIVEN).gap, view.LEVELS.at(-1).gap);
});

test("two directions share a bar, one above the other; one direction has it alone", () => {
  const both = view.layoutOf({ ...GIVEN, ...view.LEVELS[0] });
  const [[x, y, , high], [x2, y2, , high2]] = [both.forward(1), both.backward(1)];
  assert.equal(x, x2);
  assert.equal(high, high2);
  assert.ok(y + high < y2);
  assert.ok(y2 + high2 <= both.upper);
  const alone = view.layoutOf({ ...GIVEN, ...view.LEVELS[0], bidirectional: false });
  assert.equal(alone.forward(1)[3], 2 * high);
});

test("a number is a whole number of pixels high, unless there are very many", () => {
  assert.deepEqual([4, 16, 32, 64, 68, 128, 256].map(view.cellOf), [12, 8, 4, 2, 2, 1, 1]);
  assert.ok(view.cellOf(1024) * 1024 <= 256);
});

test("combined states lie beside the states, inside of their column", () => {
  const layout = view.layoutOf({ ...GIVEN, ...view.LEVELS[0], sizes: { ...GIVEN.sizes, combined: 32 } });
  const [x, , width] = layout.state(1);
  const [beside, , wide] = layout.combined(1);
  assert.ok(x + width <= beside);
  assert.ok(beside + wide < layout.state(2)[0]);
});

test("a click leads to the last step of what it hits", () => {
  const layout = view.layoutOf({ ...GIVEN, ...view.LEVELS[0] });
  const at = (x, y) => view.stepAt(x, y, layout, SCHEDULE, N);
  assert.deepEqual(layout.source.map((x) => at(x + 3, layout.top)), [0, 1, 2]);
  assert.deepEqual(layout.decoder.map((x) => at(x - 3, layout.below + 5)), [3, 6, 9]);
});

test("arrays are cut into rows, in their order", () => {
  const rows = view.rowsOf(Float32Array.from({ length: 10 }, (_, place) => place), { start: [1, 2], weights: [2, 4] });
  assert.deepEqual(rows.start.map((row) => [...row]), [[0, 1]]);
  assert.deepEqual(rows.weights.map((row) => [...row]), [[2, 3, 4, 5], [6, 7, 8, 9]]);
});

test("the scale is the largest absolute value; what is no number does not count", () => {
  assert.equal(view.scaleOf([[0.5, -2], [NaN, Infinity]]), 2);
  assert.equal(view.scaleOf([[0], [NaN]]), 1);
});

test("the largest come first, what is not a number before them, −∞ last", () => {
  const words = ["a", "b", "c", "d"];
  assert.deepEqual(view.largestOf(words, [0.1, -0.5, 0.9, 0.3]), [["c", 0.9], ["d", 0.3], ["a", 0.1]]);
  assert.deepEqual(view.largestOf(words, [0.1, NaN, 0.9, -Infinity]).map(([word]) => word), ["b", "c", "a"]);
});

test("numbers have their sign, and no minus before 0", () => {
  const numbers = [-0.42, 0.42, -3, -0.001, NaN].map((number) => view.signed(number));
  assert.deepEqual(numbers, ["−.42", ".42", "−3", "0", "nan"]);
});

test("formulas: what is lowered, raised, upright", () => {
  const kinds = (text) => view.formulaParts(text).map(({ kind, text: part }) => `${kind} ${part}`);
  assert.deepEqual(kinds("h̃_t"), ["letter h̃", "sub t"]);
  assert.deepEqual(kinds("v^T x_{i−1}"), ["letter v", "sup T", "upright  ", "letter x", "sub i−1"]);
  assert.deepEqual(kinds("tanh(W"), ["upright tanh", "upright (", "letter W"]);
  assert.deepEqual(kinds("<b> _"), ["upright <", "letter b", "upright > ", "upright _"]);
});

test("lines begin and end where they should", () => {
  const points = (path) => path.match(/-?[\d.]+,-?[\d.]+/g);
  const up = points(view.fanLine(10, 200, 50, 100));
  assert.deepEqual([up[0], up.at(-1)], ["10,200", "50,100"]);
  const [near, far] = [points(view.sagging(10, 100, 30)), points(view.sagging(10, 100, 300))];
  assert.deepEqual([near[0], near.at(-1)], ["10,100", "30,100"]);
  assert.ok(Number(far[1].split(",")[1]) > Number(near[1].split(",")[1]));
});
