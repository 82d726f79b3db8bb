// UnrolledView: an encoder–decoder unrolled over time, in small steps. Python computes the numbers once.

import { LessonView, mount } from "./base.js";
import { applyTheme, choice, colourOf, css, element, floats, formula, isWrong } from "./common.js";
import { shown, signed, slider } from "./common.js";
import { largestOf, layoutWithin, rowsOf, scaleOf, scheduleOf, stepAfter, stepAt } from "./unrolled_layout.js";
import { UnrolledPlot } from "./unrolled_plot.js";

const SECONDS_A_STEP = 1.2;
const SPEEDS = [0.5, 1, 2, 4];
const LONGEST_BAR = 60; // pixels, for a probability of 1
const [ROOM, AROUND] = [700, 22]; // pixels: for the picture before the width of the page is known; beside the picture
const MARGIN = 40; // pixels that are kept beside what happens, where the picture is wider than the page

class UnrolledView extends LessonView {
  static traits = { renew: ["run"], paint: ["values"], point: ["step"] };

  /** Lay everything out anew where the page has become wider or narrower. */
  fit() {
    const width = this.root.clientWidth - AROUND;
    if (width <= 0 || width === this.room) return;
    this.room = width;
    if (layoutWithin(width, this.plot.given).gap !== this.plot.at.gap) this.build();
  }

  /** Everything that the layout depends on: the run without its guesses. */
  get places() {
    return JSON.stringify({ ...this.get("run"), guesses: [] });
  }

  /** Draw another run, in place if the layout stays. */
  renew() {
    if (this.places === this.placed) this.paint();
    else this.build();
  }

  build() {
    this.placed = this.places;
    this.run = this.get("run");
    this.schedule = scheduleOf(this.run.recipe, this.run.source.length, this.run.read.length);
    this.plot = new UnrolledPlot({
      run: this.run,
      schedule: this.schedule,
      words: this.words,
      room: this.room ?? ROOM,
    });
    this.plot.element.addEventListener("click", (event) => this.clicked(event));
    this.plot.element.addEventListener("keydown", (event) => this.pressed(event));
    this.scroller = element("div", { class: "scroller" }, this.plot.element);
    this.legend = element("div", { class: "lesson-legend" });
    this.agenda = this.buildAgenda();
    const open = this.details?.open;
    this.place(this.buildControls(), this.agenda, this.scroller, this.legend);
    this.root.classList.add("lesson-unrolled");
    this.scroller.before(this.status);
    this.details.open = Boolean(open);
    this.paint();
  }

  buildControls() {
    const { words, schedule } = this;
    const ofAll = (step) => `${step + 1} ${words.of} ${schedule.length}`;
    const button = (name, by) => {
      const node = element("button", { type: "button" }, name);
      node.addEventListener("click", () => this.go(this.get("step") + by));
      return node;
    };
    this.player = this.stepPlayer(() => this.schedule.length - 1, SECONDS_A_STEP);
    this.slider = slider(words.step, { min: 0, max: schedule.length - 1, step: 1 }, ofAll, (step) => this.go(step));
    this.slider.style.setProperty("--letters", ofAll(schedule.length - 1).length);
    this.slider.querySelector("input").addEventListener("keydown", (event) => this.pressed(event));
    const speeds = SPEEDS.map((times) => `${times}×`);
    const speed = choice(words.speed, speeds, (place) => (this.player.seconds = SECONDS_A_STEP / SPEEDS[place]));
    speed.show(SPEEDS.indexOf(1));
    speed.classList.add("lesson-play"); // hidden where reduced motion is preferred
    const steps = [button(`◂ ${words.back}`, -1), button(`${words.forward} ▸`, 1)];
    const all = [this.player.button, ...steps, this.slider, speed];
    return element("div", { class: "lesson-controls", role: "group", "aria-label": words.controls }, ...all);
  }

  /** All kinds of steps, the present one marked: of the encoder, the hand-over, and (numbered) of a decoding step. */
  buildAgenda() {
    const { encode, hand_over, decode } = this.run.recipe;
    const item = (number, { name }) => element("li", { "data-step": name }, `${number}${this.words[`step ${name}`]}`);
    const before = [...encode, ...hand_over].map((step) => item("", step));
    const numbered = decode.map((step, place) => item(`${place + 1} `, step));
    return element("ol", { class: "agenda", "aria-hidden": "true" }, ...before, ...numbered);
  }

  /** Everything that depends on the numbers. */
  paint() {
    const theme = applyTheme(this.root);
    const numbers = rowsOf(floats(this.get("values")), this.run.shapes);
    const { scores, weights, ...vectors } = numbers;
    const rows = Object.values(vectors).flat();
    const shades = theme.page === THEME.dark.page ? theme.table : [...theme.table].reverse();
    const withNaN = ([word, p]) => [word, p ?? NaN]; // JSON has no NaN
    const guesses = this.get("run").guesses.map((each) => each.map(withNaN));
    this.root.style.setProperty("--weight", css(theme.table[Math.round(0.66 * (theme.table.length - 1))]));
    this.drawing = { theme, numbers, largest: scaleOf(rows), shades, guesses };
    this.hasWrong = [...rows, ...(scores ?? []), ...(weights ?? [])].some((row) => row.some(isWrong));
    this.writeLegend();
    this.point();
  }

  /** Everything that depends on the step. */
  point() {
    const step = Math.max(0, Math.min(this.get("step"), this.schedule.length - 1));
    this.now = this.schedule[step];
    this.plot.draw({ ...this.drawing, step });
    this.slider.show(step);
    for (const item of this.agenda.children) item.classList.toggle("now", item.dataset.step === this.now.name);
    this.writeStatus();
    this.reveal();
    if (this.details.open) this.writeTable();
  }

  /** Go to a small step, and stop playing. */
  go(step) {
    this.player.pause();
    this.set("step", Math.max(0, Math.min(step, this.schedule.length - 1)));
  }

  /** The name of the present step and its place in the time step, its formula, and the numbers that belong to it. */
  writeStatus() {
    const { words, now, run, plot } = this;
    const ofTime = `${words["time step"]} ${now.time} ${words.of} ${plot.time ? plot.m : plot.n}`;
    const ofStep = `, ${words.step} ${now.place + 1} ${words.of} ${run.recipe.decode.length}`;
    const place = now.time ? `${ofTime}${plot.time ? ofStep : ""}: ` : "";
    const name = element("div", {}, place, element("strong", {}, words[`step ${now.name}`]));
    const numbers = element("div", { class: "numbers" }, ...this.numbersNow());
    this.status.replaceChildren(name, element("div", { class: "formula" }, ...formula(now.formula)), numbers);
  }

  numbersNow() {
    const { now, run, plot, words, drawing } = this;
    const { numbers, guesses } = drawing;
    const row = (name) => numbers[name][Math.max(0, now.time - 1)];
    const quoted = (word) => `“${shown(word)}”`;
    const part = ([word, number], hasBar) => {
      const bar = element("span", { class: "bar", style: `width:${Math.max(1, LONGEST_BAR * number || 0)}px` });
      return element("span", { class: "item" }, `${quoted(word)} `, ...(hasBar ? [bar] : []), signed(number), " ");
    };
    const list = (name) => largestOf(run.source, row(name)).map((pair) => part(pair, name === "weights"));
    const range = (vector) => {
      const known = [...vector].filter(Number.isFinite);
      const [low, high] = [signed(Math.min(...known)), signed(Math.max(...known))];
      return [`${vector.length} ${words["numbers from"]} ${low} ${words["numbers to"]} ${high}`];
    };
    const written = run.written[now.time - 1];
    const forward = () => quoted(run.source[now.time - 1]);
    const both = () => `→ ${forward()}, ← ${quoted(run.source.at(-now.time))}`;
    return {
      encode: () => [`${words["reads word"]} ${run.bidirectional ? both() : forward()}`],
      context: () => range(row("contexts")),
      take: () => range(row("contexts")),
      start: () => range(numbers.start[0]),
      read: () => [`${words["reads word"]} ${quoted(run.read[now.time - 1])}`],
      state: () => range(row("states")),
      scores: () => list("scores"),
      weights: () => list("weights"),
      average: () => list("weights"),
      combine: () => range(row("combined")),
      write: () => guesses[now.time - 1]?.map((guess) => part(guess, true)) ?? [`${words.writes} ${quoted(written)}`],
    }[now.name]();
  }

  writeLegend() {
    const { words, drawing, plot } = this;
    const stops = Array.from({ length: 17 }, (_, stop) => colourOf(stop, 16, drawing.shades));
    const shades = stops.map(css);
    const ramp = element("span", { class: "ramp", style: `background: linear-gradient(90deg, ${shades.join(", ")})` });
    const largest = signed(drawing.largest);
    const scale = [`${words.dark} −${largest} `, ramp, ` ${largest} ${words.bright}: ${words["states legend"]}`];
    const parts = [element("span", {}, ...scale)];
    const sample = (name, word) => parts.push(element("span", {}, element("span", { class: `sample ${name}` }), word));
    sample("used", words.used);
    sample("made", words.made);
    if (plot.attends) sample("line", words["line legend"]);
    if (this.hasWrong) sample("wrong", words["not a number"]);
    this.legend.replaceChildren(...parts);
  }

  /** The numbers of the present time step, as far as known: words of the source, then the decoder's vectors. */
  tableParts() {
    const { plot, run, words, drawing, now } = this;
    const { numbers } = drawing;
    const { letters } = run.recipe;
    const widest = Math.max(...Object.values(numbers).map((rows) => rows[0].length));
    const columns = ["scores", "weights"].filter((name) => numbers[name]);
    const places = Array.from({ length: widest }, (_, place) => String(place + 1));
    const texts = (row) => Array.from(row ?? [], (number) => signed(number, 3));
    const vector = (head, row) => (row ? [[head, ...columns.map(() => ""), ...texts(row)]] : []);
    const rows = run.source.map((word, j) => {
      const numbersOf = columns.map((name) => (plot.has(name) ? signed(numbers[name][now.time - 1][j], 3) : ""));
      const read = (plot.known.encode ?? 0) >= plot.n || (!run.bidirectional && j < plot.known.encode);
      return [shown(word), ...numbersOf, ...(read ? texts(numbers.encoder_states[j]) : [])];
    });
    const at = (letter, time) => letter.replace(/_.$/, `_${time}`);
    const before = plot.time > 1 ? numbers.states[plot.time - 2] : plot.known.start === 0 ? numbers.start[0] : null;
    rows.push(...vector(at(letters.context, plot.time), plot.context()));
    rows.push(...vector(at(letters.state, Math.max(0, plot.time - 1)), before));
    if (plot.has("state")) rows.push(...vector(at(letters.state, plot.time), numbers.states[plot.time - 1]));
    if (plot.has("combine")) rows.push(...vector(at(letters.combined, plot.time), numbers.combined[plot.time - 1]));
    return [this.status.firstChild.textContent, [...columns.map((name) => words[name]), ...places], rows];
  }

  /** Where the picture is wider than the page, keep the column in view in which something happens. */
  reveal() {
    const { scroller, plot, now } = this;
    const x = now.name === "encode" ? plot.at.source[now.time - 1] : plot.at.decoder[plot.time];
    const [left, width] = [scroller.scrollLeft, scroller.clientWidth];
    if (x - MARGIN < left || x + MARGIN > left + width) scroller.scrollLeft = x - width / 2;
  }

  clicked(event) {
    const corner = this.plot.element.getBoundingClientRect();
    const [x, y] = [event.clientX - corner.left, event.clientY - corner.top];
    this.go(stepAt(x, y, this.plot.at, this.schedule, this.plot.n));
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = stepAfter(event.key, this.schedule.indexOf(this.now), this.schedule);
    if (step === undefined) return;
    event.preventDefault();
    this.go(step);
  }
}

const render = mount(UnrolledView);

export default { render };
