// The unrolled view without a page: the small steps of a run, what is known after each, where things lie and how lines
// run. Everything here is a pure function.

// Pixels of the page:
export const BAR = 16; // the width of a bar
const TALL = 128; // about the height of a bar
const LARGEST_CELL = 12;
const HALVES = 4; // between the two directions of an encoder state
/** From roomy to tight: the least distance between words, and the size of their letters (13 when measured). */
export const LEVELS = [[14, 13], [9, 13], [6, 12], [4, 11]].map(([gap, letters]) => ({ gap, letters }));
const WORD = 20; // the height of a line of words
const NUMBER = 16; // of a line of numbers
const FAN = 104; // between the encoder and the decoder
const HEAD = 4; // of an arrow
export const THICKEST = 14; // the line of a weight of 1

/** All small steps of a run over n source words and m decoding steps: { name, formula, uses, time, place, group }.
 * A group is one time step of the encoder, the hand-over, or one time step of the decoder. */
export function scheduleOf({ encode, hand_over, decode }, n, m) {
  const steps = (list, number, group) => list.map((step, place) => ({ ...step, time: number, place, group }));
  const reading = Array.from({ length: n }, (_, word) => steps(encode, word + 1, word));
  const writing = Array.from({ length: m }, (_, word) => steps(decode, word + 1, n + 1 + word));
  return [...reading.flat(), ...steps(hand_over, 0, n), ...writing.flat()];
}

/** For each kind of step, the last time step that has done it: { encode: 4, start: 0, state: 2, … }. */
export function knownAt(schedule, step) {
  return Object.fromEntries(schedule.slice(0, step + 1).map(({ name, time }) => [name, time]));
}

/** The step to which a key leads, or undefined. */
export function stepAfter(key, step, schedule) {
  const last = schedule.length - 1;
  const firstOf = (group) => schedule.findIndex((each) => each.group === group);
  const { group, place } = schedule[step];
  const next = firstOf(group + 1);
  const wanted = {
    ArrowLeft: step - 1,
    ArrowUp: step - 1,
    ArrowRight: step + 1,
    ArrowDown: step + 1,
    PageDown: next < 0 ? last : next,
    PageUp: place > 0 ? firstOf(group) : firstOf(Math.max(0, group - 1)),
    Home: 0,
    End: last,
  }[key];
  return wanted === undefined ? undefined : Math.max(0, Math.min(last, wanted));
}

/** The height of one number in a bar of so many: whole pixels, unless there are very many. */
export function cellOf(size) {
  if (size > 2 * TALL) return (2 * TALL) / size;
  return Math.max(1, Math.min(LARGEST_CELL, Math.round(TALL / size)));
}

/** The middles of columns that stand beside each other as words do in a line of text, and where the last one ends. */
export function columnsOf(widths, start, gap, narrowest = BAR + 4 + gap) {
  let end = start;
  const middles = widths.map((width) => {
    const column = Math.max(narrowest, width + gap);
    end += column;
    return end - column / 2;
  });
  return { middles, end };
}

/** The roomiest layout that is no wider than `room`; the tightest one, if none is. */
export function layoutWithin(room, given) {
  let layout;
  for (const level of LEVELS) {
    layout = layoutOf({ ...given, ...level });
    if (layout.width <= room) break;
  }
  return layout;
}

/** Where everything lies, on one level. `left` is the room for labels; `sourceWidths` and `wordWidths` are those of
 * the words, `sizes` how many numbers a vector has, { source, state, context, combined } (0 if there is none), and
 * `lines` how many lines of words there are below. */
export function layoutOf({ left, sourceWidths, wordWidths, sizes, bidirectional, lines, gap, letters }) {
  const heightOf = (name) => cellOf(sizes[name]) * sizes[name];
  const fitting = (widths) => widths.map((width) => (width * letters) / LEVELS[0].letters);
  const source = columnsOf(fitting(sourceWidths), left, gap);
  const contextAt = source.end + gap + BAR / 2;
  const decoder = columnsOf(fitting(wordWidths), left, gap, (sizes.combined ? 2 * BAR + 6 : BAR + 4) + gap);
  const top = WORD + 4;
  const upper = top + Math.max(heightOf("source") + (bidirectional ? HALVES : 0), heightOf("context"));
  const below = upper + NUMBER + FAN;
  const deeper = below + Math.max(heightOf("state"), sizes.combined ? heightOf("combined") : 0);
  const aside = sizes.combined ? (BAR + 3) / 2 : 0;
  const bar = (x, y, name, part = 1) => [x - BAR / 2, y, BAR, heightOf(name) * part];
  return {
    left,
    top,
    upper,
    below,
    deeper,
    numbers: upper + NUMBER / 2 + 3,
    fan: upper + NUMBER + 4,
    words: deeper + 16 + WORD / 2,
    line: WORD,
    height: deeper + 16 + lines * WORD + 4,
    width: Math.max(contextAt + BAR / 2 + 6, decoder.end) + 2,
    letters,
    gap,
    source: source.middles,
    decoder: decoder.middles,
    contextAt,
    forward: (j) => bar(source.middles[j], top, "source", bidirectional ? 0.5 : 1),
    backward: (j) => bar(source.middles[j], top + heightOf("source") / 2 + HALVES, "source", 0.5),
    context: () => bar(contextAt, top, "context"),
    state: (i) => bar(decoder.middles[i] - aside, below, "state"),
    combined: (i) => bar(decoder.middles[i] + aside, below, "combined"),
  };
}

/** Which small step a click at this place leads to: the one that reads, or writes, the word of the nearest column. */
export function stepAt(x, y, layout, schedule, n) {
  const far = (place) => Math.abs(place - x);
  const nearest = (places) => places.reduce((best, place, i) => (far(place) < far(places[best]) ? i : best), 0);
  const upper = y < (layout.upper + layout.below) / 2;
  const group = upper ? nearest(layout.source) : n + nearest(layout.decoder);
  return schedule.findLastIndex((step) => step.group === group);
}

/** The largest of these numbers, with their words: [[word, number], …]; NaN comes first. */
export function largestOf(words, numbers, count = 3) {
  const rank = (number) => (Number.isNaN(number) ? Infinity : number);
  const pairs = words.map((word, place) => [word, numbers[place]]);
  const order = ([, one], [, other]) => (rank(other) > rank(one) ? 1 : rank(other) < rank(one) ? -1 : 0);
  return pairs.sort(order).slice(0, count);
}

/** The largest absolute value of all numbers that are some, or 1. */
export function scaleOf(rows) {
  const size = (number) => (Number.isFinite(number) ? Math.abs(number) : 0);
  return rows.reduce((most, row) => row.reduce((found, number) => Math.max(found, size(number)), most), 0) || 1;
}

/** The rows of all arrays { name: [row, row, …] }, from the numbers that Python sent one array after the other. */
export function rowsOf(values, shapes) {
  let start = 0;
  const row = (columns) => values.subarray(start, (start += columns));
  const rows = ([count, columns]) => Array.from({ length: count }, () => row(columns));
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, rows(shape)]));
}

const middle = ([x, , width]) => x + width / 2;

/** A line between two heights, upright at both ends. */
export function fanLine(x, y, toX, toY) {
  const half = (y + toY) / 2;
  return `M${x},${y}C${x},${half} ${toX},${half} ${toX},${toY}`;
}

/** A line that leaves downward and comes back from below, the deeper the farther it goes. */
export function sagging(x, y, toX) {
  const deep = Math.min(FAN, 40 + Math.abs(toX - x) / 5);
  return `M${x},${y}C${x},${y + deep} ${toX},${y + deep} ${toX},${y}`;
}

const heads = {
  down: (x, y) => `M${x - HEAD},${y - HEAD - 1}L${x},${y}L${x + HEAD},${y - HEAD - 1}`,
  up: (x, y) => `M${x - HEAD},${y + HEAD + 1}L${x},${y}L${x + HEAD},${y + HEAD + 1}`,
  right: (x, y) => `M${x - HEAD - 1},${y - HEAD}L${x},${y}L${x - HEAD - 1},${y + HEAD}`,
  left: (x, y) => `M${x + HEAD + 1},${y - HEAD}L${x},${y}L${x + HEAD + 1},${y + HEAD}`,
};

/** An arrow to the right (or left) from one box to the next, at this share of its height. */
export function besides(from, to, share = 0.5) {
  const right = to[0] > from[0];
  const y = from[1] + from[3] * share;
  const [start, end] = right ? [from[0] + from[2] + 2, to[0] - 3] : [from[0] - 2, to[0] + to[2] + 3];
  return `M${start},${y}L${end},${y}${heads[right ? "right" : "left"](end, y)}`;
}

/** An arrow over what stands between, from the top of one box to the top of another. */
export function over(from, to) {
  const [x, toX, y] = [middle(from) + 3, middle(to) - 3, from[1] - 3];
  return `M${x},${y}C${x},${y - 15} ${toX},${y - 15} ${toX},${y}${heads.down(toX, y)}`;
}

/** An arrow down, from the bottom of one box to the top of another; `from` may start lower than its box ends. */
export function down(from, to, start = from[1] + from[3] + 2) {
  return `${fanLine(middle(from), start, middle(to), to[1] - 3)}${heads.down(middle(to), to[1] - 3)}`;
}

/** An arrow from a word up to the bottom of a box at its right. */
export function upFrom(word, to) {
  const [x, y, toX, toY] = [word[0] + word[2] + 2, word[1] + word[3] / 2, middle(to), to[1] + to[3] + 3];
  return `M${x},${y}C${(x + toX) / 2},${y} ${toX},${toY + 8} ${toX},${toY}${heads.up(toX, toY)}`;
}
