// Numbers on a scale, and predictions beside answers: what PredictView computes without a page.

import { signed } from "./common.js";

const PAGE = 10; // steps of Page Up and Page Down

// ---- numbers on a scale {low, high, step} -----------------------------------------------------------------------

const tidy = (number) => Number(number.toPrecision(12));

/** The nearest number on the scale. */
export function snapped(value, { low, high, step }) {
  const nearest = low + Math.round((value - low) / step) * step;
  return tidy(Math.max(low, Math.min(high, nearest)));
}

/** Where a key moves a number; null comes in from an end. Null if the key does not move it. */
export function moved(value, key, scale) {
  const { low, high, step } = scale;
  if (key === "Home" || key === "End") return key === "Home" ? low : high;
  const up = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: PAGE, PageDown: -PAGE }[key];
  if (!up) return null;
  if (value === null) return up > 0 ? low : high;
  return snapped(value + up * step, scale);
}

/** How far up a scale a number lies, from 0 at its low end to 1 at its high end. */
export const partOf = (value, { low, high }) => Math.max(0, Math.min(1, (value - low) / (high - low)));

/** The columns that a pointer passes from one [column, part] to another, each with its part of the straight line. */
export function between([from, start], [to, end]) {
  const count = Math.max(1, Math.abs(to - from));
  const at = (index) => [from + Math.round(((to - from) * index) / count), start + ((end - start) * index) / count];
  return Array.from({ length: count }, (_, index) => at(index + 1));
}

/** A curve through the middles of columns, in hundredths of the picture; broken where there is no number. */
export function pathOf(values, scale) {
  const isNumber = (value) => Number.isFinite(value ?? NaN);
  const point = (value, index) => {
    const command = index && isNumber(values[index - 1]) ? "L" : "M";
    return `${command}${tidy((100 * (index + 0.5)) / values.length)} ${tidy(100 - 100 * partOf(value, scale))}`;
  };
  return values.map((value, index) => (isNumber(value) ? point(value, index) : "")).join("");
}

// ---- prediction and answer --------------------------------------------------------------------------------------

/** The trait `sealed`, {answer, why}; numbers come as strings, since JSON has no NaN. */
export function opened(sealed, isChoice) {
  const { answer, why } = JSON.parse(new TextDecoder().decode(sealed));
  return { answer: isChoice ? answer : answer.map(Number), why };
}

/** What became of an option: "right", "wrong" (predicted, but not the answer), "missed" or "". */
export function mark(option, guess, answer) {
  if (option === guess) return option === answer ? "right" : "wrong";
  return option === answer ? "missed" : "";
}

/** The difference between two numbers, in words. */
export function difference(guess, answer, digits, words) {
  const size = signed(Math.abs(guess - answer), digits);
  if (size === "0") return words["exactly right"];
  return guess > answer ? `${words["too high by"]} ${size}` : guess < answer ? `${words["too low by"]} ${size}` : size;
}

/** The mean distance of the pairs that are numbers, from an index on, and the index where it is largest. */
export function distances(guess, answer, start = 0) {
  const sizes = guess.map((number, index) => (index < start ? NaN : Math.abs(number - answer[index])));
  const known = sizes.filter(Number.isFinite);
  const mean = known.reduce((total, size) => total + size, 0) / known.length;
  return { mean, most: known.length ? sizes.indexOf(Math.max(...known)) : start };
}
