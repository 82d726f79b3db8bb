// Numbers on a scale, and guesses beside answers: what PredictView computes without a page.

import { short } from "./common.js";

const LARGE = 10; // steps that Page Up and Page Down go
const TICKS = 5;

// ---- numbers on a scale {low, high, step} -----------------------------------------------------------------------

const tidy = (number) => Number(number.toPrecision(12));

/** The nearest number that can be said. */
export function snapped(value, { low, high, step }) {
  const nearest = low + Math.round((value - low) / step) * step;
  return tidy(Math.max(low, Math.min(high, nearest)));
}

/** Where a key moves a number; one that is not there yet comes in from an end. Null if the key does not move it. */
export function moved(value, key, scale) {
  const { low, high, step } = scale;
  if (key === "Home" || key === "End") return key === "Home" ? low : high;
  const up = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: LARGE, PageDown: -LARGE }[key];
  if (!up) return null;
  if (value === null) return up > 0 ? low : high;
  return snapped(value + up * step, scale);
}

/** How far up a scale a number lies: 0 at its low end, 1 at its high end, also for those beyond. */
export const partOf = (value, { low, high }) => Math.max(0, Math.min(1, (value - low) / (high - low)));

/** A few round numbers to read values off. */
export function ticksOf({ low, high }) {
  const rough = (0.999 * (high - low)) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const apart = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const first = Math.ceil(tidy(low / apart));
  const count = Math.floor(tidy(high / apart)) - first + 1;
  return Array.from({ length: count }, (_, index) => tidy((first + index) * apart));
}

/** The places that a pointer passes from one [place, part] to another, each with its part of the straight way. */
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

// ---- guess and answer -------------------------------------------------------------------------------------------

/** What Python sealed: {answer, why}. NaN and infinities travel as words. */
export function opened(sealed, isChoice) {
  const { answer = null, why = "" } = sealed?.byteLength ? JSON.parse(new TextDecoder().decode(sealed)) : {};
  return { answer: isChoice ? answer : answer?.map(Number), why };
}

/** What one option is, once all is told: "right", "wrong" (guessed and not so), "missed" or "". */
export function mark(option, guess, answer) {
  if (option === guess) return answer === undefined ? "guessed" : option === answer ? "right" : "wrong";
  return option === answer ? "missed" : "";
}

/** A number as it is shown, with a real minus: .25, −.25, 0. */
export function signed(number, digits) {
  const size = short(Math.abs(number), digits);
  return number < 0 && size !== "0" ? `−${size}` : size;
}

/** The difference between two numbers, in words. */
export function difference(guess, answer, digits, words) {
  const size = short(Math.abs(guess - answer), digits);
  if (size === "0") return words["exactly right"];
  return guess > answer ? `${words["too high by"]} ${size}` : guess < answer ? `${words["too low by"]} ${size}` : size;
}

/** The mean distance of the pairs that are numbers, from a place on, and the place where it is largest. */
export function distances(guess, answer, start = 0) {
  const sizes = guess.map((number, place) => (place < start ? NaN : Math.abs(number - answer[place])));
  const known = sizes.filter(Number.isFinite);
  const mean = known.reduce((total, size) => total + size, 0) / known.length;
  return { mean, most: known.length ? sizes.indexOf(Math.max(...known)) : start };
}
