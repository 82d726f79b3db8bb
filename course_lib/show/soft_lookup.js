// The mathematics of SoftLookupView: scores, weights and context (as in soft_lookup.py), and the geometry of the plane:
// its limits, the hull of the keys, and on which side of its point each name is written.

import { onStep, roundStep } from "./common.js";

// ---- scores, weights, context -----------------------------------------------------------------------------------

const SMALLEST = 1e-12; // the length that a vector of zeros counts as
const TIE = 1e-9; // scores that differ by less, relative to the largest, are equal

const dotOf = (one, other) => one.reduce((sum, value, index) => sum + value * other[index], 0);
const times = (matrix, vector) => matrix.map((row) => dotOf(row, vector));
const unit = (vector) => vector.map((value) => value / Math.max(Math.hypot(...vector), SMALLEST));
const added = (one, other) => one.map((value, index) => value + other[index]);

/** The seven scores of course_lib/attention/scores.py: their formula, and the numbers for a query and all keys. */
export const SCORES = {
  dot: { formula: "q · k_j", of: (q, keys) => times(keys, q) },
  scaled_dot: { formula: "q · k_j / √2", of: (q, keys) => times(keys, q).map((score) => score / Math.SQRT2) },
  cosine: { formula: "q · k_j / (‖q‖ ‖k_j‖)", of: (q, keys) => times(keys.map(unit), unit(q)) },
  bilinear: { formula: "qᵀ W k_j", of: (q, keys, { w }) => keys.map((key) => dotOf(q, times(w, key))) },
  concat: {
    formula: "vᵀ tanh(W [q; k_j])",
    of: (q, keys, { w, v }) => keys.map((key) => dotOf(v, times(w, [...q, ...key]).map(Math.tanh))),
  },
  additive: {
    formula: "vᵀ tanh(W_q q + W_k k_j)",
    of: (q, keys, { w_q, w_k, v }) => keys.map((key) => dotOf(v, added(times(w_q, q), times(w_k, key)).map(Math.tanh))),
  },
  location: { formula: "(W q)_j", of: (q, keys, { w }) => times(w.slice(0, keys.length), q) },
};

/** softmax(scores / temperature), also in the limits: at 0 the largest score has all the weight (equal ones share it),
 * at ∞ all weights are equal. A score of −∞ is masked; if all are, the weights are zeros. */
export function weightsAt(scores, temperature) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return scores.map(() => 0);
  const slack = TIE * Math.max(1, Math.abs(largest));
  const powers = scores.map((score) => {
    if (score === -Infinity) return 0;
    if (temperature === 0) return score - largest >= -slack ? 1 : 0 * score; // NaN stays NaN
    return Math.exp((score - largest) / temperature);
  });
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** The context: the weighted average of the values (lists of equal length). */
export const contextOf = (weights, values) =>
  values[0].map((_, place) => weights.reduce((sum, weight, index) => sum + weight * values[index][place], 0));

// ---- the plane --------------------------------------------------------------------------------------------------

const AIR = 0.14; // around the points, as a part of their extent
const FLATTEST = 0.62; // height of the plane by its width

/** The part of the plane that holds these points: {x: [low, high], y: [low, high], step}, with some air around; never
 * higher than wide, nor very flat. The limits are whole steps; a slider has about 200. */
export function limitsOf(points) {
  const ends = [0, 1].map((axis) => {
    const places = points.map((point) => point[axis]);
    return [Math.min(...places), Math.max(...places)];
  });
  const sizes = ends.map(([low, high]) => high - low);
  const largest = Math.max(...sizes) || 1;
  const wide = Math.max(sizes[0] + 2 * AIR * largest, sizes[1] + 2 * AIR * largest);
  const high = Math.max(FLATTEST * wide, sizes[1] + 2 * AIR * largest);
  const step = roundStep(wide / 150);
  const [x, y] = [wide, high].map((size, axis) => {
    const middle = (ends[axis][0] + ends[axis][1]) / 2;
    const [low, top] = [Math.floor((middle - size / 2) / step), Math.ceil((middle + size / 2) / step)];
    return [onStep(low * step, step), onStep(top * step, step)];
  });
  return { x, y, step };
}

/** The corners of the smallest convex area around these points, in order (Andrew's monotone chain). */
export function hullOf(points) {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const turn = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  const chain = (ordered) => {
    const kept = [];
    for (const point of ordered) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return sorted.length > 1 ? [...chain(sorted), ...chain(sorted.reverse())] : sorted;
}

// ---- names beside their points ----------------------------------------------------------------------------------

const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]];
SIDES.push([1, -0.5], [1, 0.5], [-1, -0.5], [-1, 0.5]);
const REACHES = [1, 2, 3, 4, 5]; // how far away a name may be; from the second on, a line leads to it
const FARTHER = 25; // what this costs, in square pixels that are covered
const SWEEPS = 3;

/** [left, top, right, bottom] of a text on a side of a point: its number stands outward, or right of a centred name. */
function boxOf([x, y], [sideways, down], { width, height, number, away }) {
  const part = sideways && down ? away * 0.75 : away;
  const left = sideways > 0 ? x + part : sideways < 0 ? x - part - width - number : x - width / 2;
  const top = y + down * (part + (down ? height / 2 : 0)) - height / 2;
  return [left, top, left + width + number, top + height];
}

function overlap([left, top, right, bottom], [otherLeft, otherTop, otherRight, otherBottom]) {
  const wide = Math.min(right, otherRight) - Math.max(left, otherLeft);
  const high = Math.min(bottom, otherBottom) - Math.max(top, otherTop);
  return wide > 0 && high > 0 ? wide * high : 0;
}

const sizeOf = ([left, top, right, bottom]) => (right - left) * (bottom - top);

/** For each point [x, y] in pixels the side on which its name, `widths` pixels wide, covers least of other names and
 * points and does not leave the room [left, top, right, bottom]: {side: [sideways, down], reach, box}. */
export function sidesOf(points, widths, room, { height, number, away }) {
  const dots = points.map(([x, y]) => [x - away / 2, y - away / 2, x + away / 2, y + away / 2]);
  const chosen = points.map(() => null);
  const options = points.map((point, index) =>
    REACHES.flatMap((reach, farther) =>
      SIDES.map((side, place) => {
        const box = boxOf(point, side, { width: widths[index], height, number, away: away * reach });
        return { side, reach, box, price: 2 * place + FARTHER * farther + sizeOf(box) - overlap(box, room) };
      }),
    ),
  );
  const cost = (index, { box, price }) =>
    points.reduce((sum, _, other) => {
      if (other === index) return sum;
      return sum + overlap(box, dots[other]) + (chosen[other] ? overlap(box, chosen[other].box) : 0);
    }, price);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    options.forEach((mine, index) => {
      const costs = mine.map((option) => cost(index, option));
      chosen[index] = mine[costs.indexOf(Math.min(...costs))];
    });
  }
  return chosen;
}
