// What PredictView computes without a page. Run by test_javascript.py, which says where the module lies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const view = await import(pathToFileURL(process.env.VIEW_MODULE));
const SHARE = { low: 0, high: 1, step: 0.01, digits: 2 };
const WORDS = { "exactly right": "exactly right", "too high by": "too high by", "too low by": "too low by" };

test("a number is the nearest that can be said, and none outside the scale", () => {
  assert.equal(view.snapped(0.123, SHARE), 0.12);
  assert.equal(view.snapped(0.1 + 0.2, SHARE), 0.3); // not 0.30000000000000004
  assert.deepEqual([-3, 7].map((value) => view.snapped(value, SHARE)), [0, 1]);
  assert.equal(view.snapped(0.9, { low: -1, high: 1, step: 0.25 }), 1);
  assert.equal(view.snapped(0.98, { low: 0, high: 1, step: 0.3 }), 0.9); // from the low end on
});

test("keys move a number by a step, by ten, to an end; others do not", () => {
  const keys = { ArrowUp: 0.51, ArrowRight: 0.51, ArrowDown: 0.49, ArrowLeft: 0.49, PageUp: 0.6, PageDown: 0.4 };
  for (const [key, value] of Object.entries({ ...keys, Home: 0, End: 1 })) {
    assert.equal(view.moved(0.5, key, SHARE), value, key);
  }
  for (const key of ["Tab", "Enter", "a", "5"]) assert.equal(view.moved(0.5, key, SHARE), null);
  assert.equal(view.moved(1, "PageUp", SHARE), 1);
});

test("a number that is not there yet comes in from an end, not from the middle", () => {
  assert.deepEqual(["ArrowUp", "PageUp"].map((key) => view.moved(null, key, SHARE)), [0, 0]);
  assert.deepEqual(["ArrowDown", "PageDown"].map((key) => view.moved(null, key, SHARE)), [1, 1]);
  assert.equal(view.moved(null, "Tab", SHARE), null);
});

test("the ends of a scale are 0 and 1, and nothing is drawn beyond them", () => {
  const scale = { low: -1, high: 3 };
  assert.deepEqual([-1, 1, 3, -9, 9].map((value) => view.partOf(value, scale)), [0, 0.5, 1, 0, 1]);
  assert.ok(Number.isNaN(view.partOf(NaN, scale)));
});

test("a stroke passes every place between its ends, on a straight line", () => {
  assert.deepEqual(view.between([1, 0.5], [1, 0.7]), [[1, 0.7]]);
  assert.deepEqual(view.between([0, 1], [4, 0]), [[1, 0.75], [2, 0.5], [3, 0.25], [4, 0]]);
  assert.deepEqual(view.between([2, 0], [0, 1]), [[1, 0.5], [0, 1]]);
});

test("a curve goes through the middles of its columns, and is broken where there is no number", () => {
  assert.equal(view.pathOf([0, 1], SHARE), "M25 100L75 0");
  assert.equal(view.pathOf([0, null, 1, NaN, 1], SHARE), "M10 100M50 0M90 0");
  assert.equal(view.pathOf([null, 0.5, 0.5, null], SHARE), "M37.5 50L62.5 50");
  assert.equal(view.pathOf([null, null], SHARE), "");
});

test("what was sealed is opened: words and numbers", () => {
  const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
  const { answer, why } = view.opened(bytes({ answer: ["0.5", "nan"], why: "因为" }), false);
  assert.deepEqual(answer, [0.5, NaN]);
  assert.equal(why, "因为");
  const words = new DataView(bytes({ answer: ["7"], why: "b" }).buffer);
  assert.deepEqual(view.opened(words, true), { answer: ["7"], why: "b" });
});

test("an option is marked by what became of it", () => {
  const marks = (guess, answer) => ["a", "b", "c"].map((option) => view.mark(option, guess, answer));
  assert.deepEqual(marks("a", "b"), ["wrong", "missed", ""]);
  assert.deepEqual(marks("a", "a"), ["right", "", ""]);
});

test("the difference is said in words", () => {
  assert.equal(view.difference(0.6, 0.15, 2, WORDS), "too high by .45");
  assert.equal(view.difference(0.15, 0.6, 2, WORDS), "too low by .45");
  assert.equal(view.difference(0.15, 0.1502, 2, WORDS), "exactly right"); // as finely as can be said
  assert.equal(view.difference(12, 20, 0, WORDS), "too low by 8");
  assert.equal(view.difference(0.6, NaN, 2, WORDS), "nan");
});

test("of a curve: the mean distance, and the place of the largest, among the places that were guessed", () => {
  const near = ({ mean, most }, expected, place) => {
    assert.ok(Math.abs(mean - expected) < 1e-12);
    assert.equal(most, place);
  };
  near(view.distances([0.5, 0.5, 0.5], [0.5, 0.1, 0.7]), 0.2, 1);
  near(view.distances([9, 0.5, 0.5], [0, 0.1, 0.7], 1), 0.3, 1);
  near(view.distances([0.5, 0.5, 0.5], [0.6, NaN, 0.4]), 0.1, 0);
  assert.ok(Number.isNaN(view.distances([0.5], [NaN]).mean));
});
