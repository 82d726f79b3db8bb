// The parts of SoftLookupView that need no browser. Run by test_javascript.py; EXPECTED holds what course_lib.attention
// computes (soft_lookup_cases.py).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const view = await import(pathToFileURL(process.env.VIEW_MODULE));
const { cases, parameters, keys, values } = JSON.parse(readFileSync(process.env.EXPECTED, "utf8")).soft_lookup;

const close = (one, other, tolerance) => {
  assert.equal(one.length, other.length);
  one.forEach((value, index) => assert.ok(Math.abs(value - other[index]) <= tolerance, `${one} is not ${other}`));
};

for (const name of Object.keys(view.SCORES)) {
  test(`${name}: scores, weights and context are those of course_lib.attention, at every temperature`, () => {
    const mine = cases.filter((each) => each.score === name);
    assert.ok(mine.length > 0);
    for (const { query, temperature, scores, weights, context } of mine) {
      const got = view.SCORES[name].of(query, keys, parameters[name]);
      close(got, scores, 1e-5);
      close(view.weightsAt(got, temperature), weights, 1e-4);
      close(view.contextOf(view.weightsAt(got, temperature), values), context, 1e-4);
    }
  });
}

test("each score moves the weights otherwise than the others", () => {
  const weights = Object.keys(view.SCORES).map((name) =>
    view.weightsAt(view.SCORES[name].of([0.5, 1], keys, parameters[name]), 1).map((weight) => weight.toFixed(3)),
  );
  assert.equal(new Set(weights.map(String)).size, 7);
});

test("at temperature 0 the largest score takes all, equal ones share; at infinity all are equal", () => {
  assert.deepEqual(view.weightsAt([1, 3, 2], 0), [0, 1, 0]);
  assert.deepEqual(view.weightsAt([0.3, 0.1 + 0.2, 0], 0), [0.5, 0.5, 0]);
  assert.deepEqual(view.weightsAt([1, 3000, -2, 7], Infinity), [0.25, 0.25, 0.25, 0.25]);
  close(view.weightsAt([1, 3, 2], 1e-3), [0, 1, 0], 1e-12);
  close(view.weightsAt([1, 3, 2], 1e6), [1 / 3, 1 / 3, 1 / 3], 1e-5);
});

test("masked keys get nothing, also at the ends; what is not a number stays so", () => {
  for (const temperature of [0, 1, Infinity]) {
    assert.deepEqual(view.weightsAt([-Infinity, 2, 2], temperature), [0, 0.5, 0.5]);
    assert.deepEqual(view.weightsAt([-Infinity, -Infinity], temperature), [0, 0]);
    assert.ok(view.weightsAt([NaN, 2], temperature).every(Number.isNaN));
  }
});

test("the hull is convex, goes around once, and leaves out what lies inside or on an edge", () => {
  const square = [[0, 0], [2, 0], [2, 2], [0, 2]];
  const hull = view.hullOf([...square, [1, 1], [1, 0], [0.5, 1.5]]);
  assert.deepEqual(new Set(hull.map(String)), new Set(square.map(String)));
  assert.equal(hull.length, 4);
  assert.deepEqual(view.hullOf([[1, 2]]), [[1, 2]]);
  assert.equal(view.hullOf([[0, 0], [1, 1], [2, 2]]).length, 2);
});

test("the plane holds all points, with air, is never higher than wide, and its limits are whole steps", () => {
  for (const points of [[[0, 0], [3, 1]], [[0, 0], [-0.001, 0.02]], [[0, 0], [1e6, 2e6], [5, 5]], [[0, 0], [0, 0]]]) {
    const { x, y, step } = view.limitsOf(points);
    for (const [px, py] of points) assert.ok(px > x[0] && px < x[1] && py > y[0] && py < y[1], `${points}`);
    const [wide, high] = [x[1] - x[0], y[1] - y[0]];
    assert.ok(high <= wide + 2 * step && high >= 0.6 * wide);
    for (const end of [...x, ...y]) assert.ok(Math.abs(end / step - Math.round(end / step)) < 1e-6);
    assert.ok(wide / step >= 100 && wide / step <= 400);
  }
});

test("names do not cover each other where there is room", () => {
  const size = { height: 15, number: 25, away: 12 };
  const room = [0, 0, 400, 400];
  const apart = (boxes) => {
    for (const [place, one] of boxes.entries()) {
      assert.ok(one[0] >= 0 && one[1] >= 0 && one[2] <= 400 && one[3] <= 400, `${one} is outside`);
      for (const other of boxes.slice(place + 1)) {
        const wide = Math.min(one[2], other[2]) - Math.max(one[0], other[0]);
        const high = Math.min(one[3], other[3]) - Math.max(one[1], other[1]);
        const covers = wide > 1 && high > 1; // by more than a pixel
        assert.ok(!covers, `${one} covers ${other}`);
      }
    }
  };
  const crowd = Array.from({ length: 9 }, (_, index) => [200 + 9 * (index % 3), 200 + 9 * Math.floor(index / 3)]);
  apart(view.sidesOf(crowd, crowd.map(() => 40), room, size).map(({ box }) => box));
  const corners = [[2, 2], [398, 2], [2, 398], [398, 398]];
  apart(view.sidesOf(corners, corners.map(() => 60), room, size).map(({ box }) => box));
  const alone = view.sidesOf([[200, 200]], [40], room, size)[0];
  assert.deepEqual([alone.side, alone.reach], [[1, 0], 1]);
});
