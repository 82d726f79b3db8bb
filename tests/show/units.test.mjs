// The parts of the views that need no browser. Run by test_javascript.py, which says where the module lies
// (VIEW_MODULE) and what Python computed for the same inputs (EXPECTED).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const view = await import(pathToFileURL(process.env.VIEW_MODULE));
const expected = JSON.parse(readFileSync(process.env.EXPECTED, "utf8"));

const close = (one, other, tolerance = 1e-6) =>
  one.forEach((value, index) => assert.ok(Math.abs(value - other[index]) <= tolerance, `${one} is not ${other}`));

test("softmax is that of Python, at every temperature", () => {
  for (const { scores, temperature, weights } of expected.softmax) {
    close([...view.softmax(Float32Array.from(scores), temperature)], weights);
  }
});

test("softmax survives large scores", () => {
  close([...view.softmax(Float32Array.from([1000, 1000, -1000]))], [0.5, 0.5, 0]);
});

test("masked scores get no weight, a wholly masked row gives zeros", () => {
  close([...view.softmax(Float32Array.from([-Infinity, 0, 0]))], [0, 0.5, 0.5]);
  close([...view.softmax(Float32Array.from([-Infinity, -Infinity]))], [0, 0]);
});

test("what is not a number stays so, instead of looking like a weight", () => {
  assert.ok(view.softmax(Float32Array.from([NaN, 0])).every(Number.isNaN));
  assert.ok(view.isWrong(NaN) && view.isWrong(Infinity) && !view.isWrong(-Infinity) && !view.isWrong(0));
});

test("the ramp is that of the pictures", () => {
  for (const [stops, colours] of [[expected.stops.light, expected.light], [expected.stops.dark, expected.dark]]) {
    view.rampTable(stops).forEach((colour, index) => close(colour, colours[index], 1));
  }
});

test("colour look-up: zero is the page, the largest is the end, beyond is clipped", () => {
  const table = view.rampTable(["#ffffff", "#000000"]);
  assert.deepEqual(view.colourOf(0, 1, table), [255, 255, 255]);
  assert.deepEqual(view.colourOf(0.2, 0.2, table), [0, 0, 0]);
  assert.deepEqual(view.colourOf(3, 1, table), [0, 0, 0]);
  close(view.colourOf(0.5, 1, table), [127, 127, 127], 1);
});

test("letters are black on light and white on dark", () => {
  assert.equal(view.letterColour([255, 255, 255]), "#000");
  assert.equal(view.letterColour([20, 30, 80]), "#fff");
});

test("the layer and the head that were asked for are cut out", () => {
  const values = Float32Array.from({ length: 2 * 3 * 5 * 7 }, (_, index) => index);
  const weights = view.weightsOf(values, [2, 3, 5, 7], { layer: 1, head: 2, kind: "weights" });
  assert.equal(weights.length, 35);
  assert.equal(weights[0], (1 * 3 + 2) * 35);
  weights[0] = -1;
  assert.equal(values[175], 175); // the input is not modified
});

test("masked cells stay marked after the softmax", () => {
  const scores = Float32Array.from([0, -Infinity, 0]);
  const weights = view.weightsOf(scores, [1, 1, 1, 3], { layer: 0, head: 0, kind: "scores", temperature: 1 });
  assert.deepEqual([...weights], [0.5, -Infinity, 0.5]);
});

test("up to 16 keys the scale ends at 1, above it at the largest weight", () => {
  const weights = Float32Array.from([0.25, 0.125, -Infinity]);
  assert.equal(view.scaleOf(weights, 16), 1);
  assert.equal(view.scaleOf(weights, 17), 0.25);
  assert.equal(view.scaleOf(new Float32Array(17), 17), 1);
});

test("the state of a page is decoded", () => {
  const model = new view.PageModel(expected.state);
  assert.deepEqual([...model.get("bytes")], [0, 1, 255]);
  assert.deepEqual(model.get("words"), ["<img>", "小明"]);
});

test("numbers come as a list, as bytes, or as an array", () => {
  const numbers = Float32Array.from([0.5, -Infinity, 3]);
  const bytes = new DataView(numbers.buffer);
  for (const data of [[0.5, -Infinity, 3], numbers, bytes]) assert.deepEqual(view.floats(data), numbers);
});

test("numbers are short, blanks visible, languages recognised", () => {
  assert.deepEqual([0.07, 0.934, 1, 0].map((number) => view.short(number)), [".07", ".93", "1", "0"]);
  assert.equal(view.short(NaN), "nan");
  assert.equal(view.shown(" "), "␣");
  assert.equal(view.shown("zone"), "zone");
  assert.equal(view.languageOf(["小明"]), "zh-Hans");
  assert.equal(view.languageOf(["日", "の"]), "ja");
  assert.equal(view.languageOf(["zone"]), "");
});

test("numbers have a real minus, and zero has none", () => {
  const numbers = [0.25, -0.25, -4.5, 0, -0.001, 1, NaN, -Infinity];
  const texts = [".25", "−.25", "−4.50", "0", "0", "1", "nan", "−inf"];
  assert.deepEqual(numbers.map((number) => view.signed(number)), texts);
});

test("ticks are round, inside the limits, and some but not many", () => {
  assert.deepEqual(view.ticksOf([-4.6, 3.44]), [-4, -2, 0, 2]);
  assert.deepEqual(view.ticksOf([0.05, 0.3]), [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
  for (const limits of [[0, 1], [-0.003, 0.004], [-2e6, 1e5], [17, 18.3]]) {
    const ticks = view.ticksOf(limits);
    assert.ok(ticks.length >= 3 && ticks.length <= 9, `${ticks}`);
    assert.ok(ticks.every((tick) => tick >= limits[0] && tick <= limits[1]));
  }
});

test("steps and their decimals", () => {
  assert.deepEqual([0.07, 0.02, 1, 340].map(view.roundStep), [0.05, 0.02, 1, 200]);
  assert.deepEqual([0.05, 0.001, 1, 200].map(view.decimalsOf), [2, 3, 0, 0]);
  assert.equal(view.onStep(0.30000001, 0.1), 0.3);
});

test("cells shrink until the map fits, never below one pixel", () => {
  assert.equal(view.cellSize(5, 5, 440), 36);
  assert.equal(view.cellSize(5, 20, 440), 22);
  assert.equal(view.cellSize(512, 512, 440), 1);
});

test("the model of a page notifies its listeners until they are removed", () => {
  const model = new view.PageModel({ step: 0 });
  let calls = 0;
  const listen = () => calls++;
  model.on("change:step", listen);
  model.set("step", 2);
  assert.equal(model.get("step"), 2);
  model.off("change:step", listen);
  model.set("step", 3);
  assert.equal(calls, 1);
});

test("arrow keys move over cells, and beyond the first ones to a whole row or column", () => {
  const shape = [1, 1, 3, 4];
  const next = (key, row, column) => view.nextCell(key, { row, column }, shape);
  assert.deepEqual(next("ArrowRight", 1, 2), { row: 1, column: 3 });
  assert.deepEqual(next("ArrowRight", 1, 3), { row: 1, column: 3 });
  assert.deepEqual(next("ArrowLeft", 1, 0), { row: 1, column: null });
  assert.deepEqual(next("ArrowRight", 1, null), { row: 1, column: 0 });
  assert.deepEqual(next("ArrowUp", 0, 2), { row: null, column: 2 });
  assert.deepEqual(next("ArrowDown", null, 2), { row: 0, column: 2 });
  assert.deepEqual(next("ArrowUp", 0, null), { row: 0, column: null }); // never both: nothing would be chosen
  assert.deepEqual(next("ArrowLeft", null, 0), { row: null, column: 0 });
  assert.equal(next("a", 0, 0), undefined);
});

test("lines run between the middles of their words, the shorter column centred", () => {
  assert.deepEqual(view.lineOf({ row: 0, column: 0 }, 4, 4, 10), { from: 5, to: 5 });
  assert.deepEqual(view.lineOf({ row: 1, column: 3 }, 2, 4, 10), { from: 25, to: 35 });
});

test("rows of lines shrink until all words fit, and then not every word is written", () => {
  assert.deepEqual(view.rowsOf(5, 7), { row: 24, every: 1 });
  const { row, every } = view.rowsOf(512, 3);
  assert.equal(row, 1);
  assert.ok(every * row >= view.LABEL);
});

test("a change is drawn at once, and Python hears of the last one a little later; at once where the picture waits", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const calls = [];
  const state = {};
  const set = (name, value) => calls.push((state[name] = value));
  const model = { set, get: (name) => state[name], save_changes: () => calls.push("saved") };
  const lesson = Object.assign(Object.create(view.LessonView.prototype), { model, unsaved: new Map() });
  lesson.set("step", 1);
  lesson.set("step", 2);
  assert.deepEqual(calls, [1, 2]);
  t.mock.timers.tick(1000);
  assert.deepEqual(calls, [1, 2, "saved"]); // set once: nothing is drawn twice
  lesson.set("query", 3);
  lesson.set("query", 4, true);
  t.mock.timers.tick(1000);
  assert.deepEqual(calls.slice(3), [3, 4, "saved"]);
});

test("Python's answer to an earlier change does not undo the one that it has not heard of", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const state = {};
  const model = { get: (name) => state[name], set: (name, value) => (state[name] = value), save_changes: () => {} };
  const lesson = Object.assign(Object.create(view.LessonView.prototype), { model, unsaved: new Map() });
  lesson.set("step", 2);
  model.set("step", 1); // the answer
  assert.equal(lesson.get("step"), 2);
  t.mock.timers.tick(1000);
  assert.equal(state.step, 2);
  model.set("step", 7); // Python's own change, later
  assert.equal(lesson.get("step"), 7);
});
