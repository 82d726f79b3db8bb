// PredictView: the reader commits to a guess before the answer shows, and keeps it beside the answer afterwards.
// A guess, like an answer, has an entry for each place: a row of the table, a label of the axis, or the only one.

import { LessonView, mounted } from "./base.js";
import { applyTheme, element, shown } from "./common.js";
import { difference, distances, mark, opened, signed } from "./guess.js";
import { between, moved, partOf, pathOf, snapped, ticksOf } from "./guess.js";

const SIGNS = { right: "✓", wrong: "✗", missed: "■", guessed: "●" };
const DOTS = ["guess", "truth"];
const CURVES = '<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><path/><path/></svg>';

class PredictView extends LessonView {
  static traits = {
    build: ["kind", "question", "options", "labels", "given", "scale", "unit"],
    draw: ["guess", "sealed"],
  };

  build() {
    for (const name of ["kind", "question", "options", "labels", "given", "scale"]) this[name] = this.get(name);
    this.count = this.labels.length || 1;
    this.isChoice = this.options.length > 0;
    const none = Array.from({ length: this.count }, (_, place) => this.given[place] ?? null);
    if (this.draft?.length !== this.count) this.draft = none; // else the view is only drawn anew
    this.area = element("div");
    const legend = element("legend", {}, this.question);
    this.group = element("fieldset", { "aria-label": this.question, tabindex: -1 }, legend, this.area);
    this.button = element("button", { type: "button" }, this.words.commit);
    this.button.addEventListener("click", () => this.commit());
    this.why = element("p", { class: "why" });
    const line = element("div", { class: "line" }, this.button);
    const form = element("form", { class: `lesson-predict ${this.kind}` }, this.group, line, this.why);
    form.addEventListener("submit", (event) => event.preventDefault()); // Enter in a radio button
    this.place(form);
    line.append(this.status);
    this.paint();
    this.draw();
  }

  paint() {
    applyTheme(this.root);
  }

  get words() {
    const words = super.words;
    return { ...words, table: words["guess and answer"] };
  }

  /** What the truth is called: a number is measured. */
  get truth() {
    return this.words[this.isChoice ? "answer" : "measured"];
  }

  /** Everything that depends on the guess being made, and on the answer. */
  draw() {
    const guess = this.get("guess") ?? null;
    this.committed = guess !== null;
    if (this.committed) this.draft = [].concat(guess);
    const { answer, why } = opened(this.get("sealed"), this.isChoice);
    this.answer = this.committed ? answer : null;
    this.why.textContent = this.committed ? why : "";
    this.why.hidden = !this.why.textContent;
    this.button.hidden = this.committed;
    this.group.setAttribute("role", this.kind === "pick" && !this.committed ? "radiogroup" : "group");
    const draw = { pick: this.drawOptions, rows: this.drawRows, number: this.drawScale, drag: this.drawScale };
    this.area.replaceChildren(...draw[this.kind].call(this));
    this.show();
  }

  /** Everything that changes while the guess is being made. */
  show() {
    if (!this.isChoice) this.showNumbers();
    const all = this.count - this.given.length;
    const made = this.draft.filter((entry) => entry !== null).length - this.given.length;
    this.button.disabled = made < all;
    const { guessed, of } = this.words;
    const status = this.committed ? this.comparison() : all > 1 ? `${made} ${of} ${all} ${guessed}` : "";
    if (this.status.textContent !== status) this.status.textContent = status;
    if (this.details.open) this.writeTable();
  }

  /** Guess an option, or a number, for a place. What is known stays, and everything once it is committed to. */
  put(place, value) {
    if (this.committed || place < this.given.length) return;
    this.draft[place] = this.isChoice ? value : snapped(value, this.scale);
    this.show();
  }

  commit() {
    this.set("guess", this.labels.length ? [...this.draft] : this.draft[0]);
    this.group.focus({ preventScroll: true }); // the button is gone
  }

  /** The guess beside the answer, in a sentence. */
  comparison() {
    const { words, answer, draft, labels } = this;
    if (!answer) return words["to come"];
    const said = (entry) => (this.isChoice ? `“${shown(entry)}”` : this.text(entry));
    const both = (place) => `${words["you said"]} ${said(draft[place])}, ${this.truth} ${said(answer[place])}`;
    if (this.kind === "number") return `${both(0)}: ${difference(draft[0], answer[0], this.scale.digits, words)}`;
    const right = draft.filter((entry, place) => entry === answer[place]).length;
    if (this.kind === "rows") return `${right} ${words.of} ${this.count} ${words.right}`;
    if (this.kind === "pick") return right ? `${words["you said"]} ${said(draft[0])}: ${words.right}` : both(0);
    const { mean, most } = distances(draft, answer, this.given.length);
    return `${words["off by"]} ${this.text(mean)}; ${words.most} ${shown(labels[most] ?? "")}: ${both(most)}`;
  }

  tableParts() {
    const { words, draft, answer, given } = this;
    const text = (entry) => ((entry ?? null) === null ? "" : this.isChoice ? shown(entry) : this.text(entry));
    const rows = draft.map((entry, place) => {
      const guess = place < given.length ? null : entry;
      return [shown(this.labels[place] ?? this.question), text(guess), text((answer ?? given)[place])];
    });
    return [this.labels.length ? this.question : "", [words.you, this.truth], rows];
  }

  // ---- one option, or one for each row --------------------------------------------------------------------------

  radio(place, option, label = {}) {
    const input = element("input", { type: "radio", name: `place ${place}`, ...label });
    input.checked = this.draft[place] === option;
    input.addEventListener("change", () => this.put(place, option));
    return input;
  }

  /** What became of an option: the name of its look, a sign and words. */
  outcome(place, option) {
    const { you, right, wrong, answer } = this.words;
    const name = this.committed ? mark(option, this.draft[place], this.answer?.[place]) : "";
    const texts = { right: `${you}, ${right}`, wrong: `${you}, ${wrong}`, missed: answer, guessed: you };
    return { name, sign: SIGNS[name] ?? "", text: texts[name] ?? "" };
  }

  drawOptions() {
    return this.options.map((option) => {
      const word = element("span", {}, shown(option));
      if (!this.committed) return element("label", { class: "option" }, this.radio(0, option), word);
      const { name, sign, text } = this.outcome(0, option);
      const parts = name ? [element("span", {}, sign), word, element("strong", {}, text)] : [word];
      return element("span", { class: `option ${name}` }, ...parts);
    });
  }

  /** A table; until the reader commits, each of its rows is a group of radio buttons. */
  drawRows() {
    const heads = this.options.map((option) => element("th", { scope: "col" }, shown(option)));
    const cell = (place, option) => {
      if (!this.committed) return element("td", {}, this.radio(place, option, { "aria-label": shown(option) }));
      const { name, sign, text } = this.outcome(place, option);
      return element("td", { class: name }, sign, element("span", { class: "lesson-unseen" }, text));
    };
    const rows = this.labels.map((label, place) => {
      const cells = this.options.map((option) => cell(place, option));
      const group = this.committed ? {} : { role: "radiogroup", "aria-label": shown(label) };
      return element("tr", group, element("th", { scope: "row" }, shown(label)), ...cells);
    });
    const body = element("tbody", {}, element("tr", {}, element("td"), ...heads), ...rows);
    const grid = element("table", this.committed ? {} : { role: "presentation" }, body);
    const scroller = { class: "scroller", role: "group", tabindex: 0, "aria-label": this.question };
    const { you, right, wrong, answer } = this.words;
    const key = `${SIGNS.right} ${you}, ${right} · ${SIGNS.wrong} ${you}, ${wrong} · ${SIGNS.missed} ${answer}`;
    return [element("div", scroller, grid), element("p", { class: "help" }, this.answer ? key : "")];
  }

  // ---- a number, or a curve -------------------------------------------------------------------------------------

  text(number) {
    const unit = this.get("unit");
    return signed(number, this.scale.digits) + (/^\p{L}/u.test(unit) ? `\u00a0${unit}` : unit);
  }

  /** What a pointer draws in, with a slider for each place, and the numbers: below the places, or beside the dots. */
  drawScale() {
    this.board = element("div", { class: "board" });
    this.board.innerHTML = CURVES;
    this.curves = this.board.querySelectorAll("path");
    this.numbers = DOTS.map((name) => this.draft.map(() => element("span", { class: `number ${name}` })));
    this.places = this.draft.map((_, place) => this.column(place));
    this.board.prepend(...ticksOf(this.scale).map((tick) => this.tick(tick)));
    this.board.append(...this.places);
    const heard = (event) => this.pointed(event);
    for (const name of ["pointerdown", "pointermove"]) this.board.addEventListener(name, heard);
    const how = this.words[this.kind === "drag" ? "draw" : "slide"];
    const help = element("p", { class: "help" }, this.committed ? "" : how);
    const sheet = element("div", { class: "sheet", style: `--count: ${this.count}` }, this.board);
    if (this.kind === "drag") sheet.append(this.below());
    return [help, sheet];
  }

  below() {
    const heads = [this.words.you, this.truth].map((word) => element("span", { class: "head" }, word));
    const names = this.labels.map((label) => element("span", { class: "name" }, shown(label)));
    const lines = [element("span"), ...names, heads[0], ...this.numbers[0], heads[1], ...this.numbers[1]];
    return element("div", { class: "below", "aria-hidden": "true" }, ...lines);
  }

  tick(number) {
    const text = element("span", {}, String(number).replace("-", "−").replace(/^(−?)0\./, "$1."));
    const style = `--at: ${100 * partOf(number, this.scale)}%`;
    return element("span", { class: "tick", style, "aria-hidden": "true" }, text);
  }

  /** A slider with the two dots of a place; only a picture where the number is known. */
  column(place) {
    const { low, high } = this.scale;
    const dots = DOTS.map((name) => element("span", { class: `dot ${name}` }));
    const numbers = this.kind === "number" ? this.numbers.flat() : [];
    const orientation = this.kind === "drag" ? "vertical" : "horizontal";
    const range = { tabindex: 0, "aria-orientation": orientation, "aria-valuemin": low, "aria-valuemax": high };
    const role = place < this.given.length ? { role: "img" } : { role: "slider", ...range };
    const node = element("div", { class: "place", ...role }, ...dots, ...numbers);
    if (this.committed && role.tabindex === 0) node.setAttribute("aria-readonly", "true");
    node.addEventListener("keydown", (event) => {
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const value = plain ? moved(this.draft[place], event.key, this.scale) : null;
      if (value === null) return;
      event.preventDefault();
      this.put(place, value);
    });
    return node;
  }

  /** The pointer went down, or moves while it is down: each place that it passed gets its number. */
  pointed(event) {
    const starts = event.type === "pointerdown";
    if (this.committed || !(starts || this.board.hasPointerCapture(event.pointerId))) return;
    const box = this.board.getBoundingClientRect();
    const [across, up] = [(event.clientX - box.left) / box.width, (box.bottom - event.clientY) / box.height];
    const place = Math.max(0, Math.min(this.count - 1, Math.floor(across * this.count)));
    const now = [place, this.kind === "drag" ? up : across];
    const { low, high } = this.scale;
    for (const [passed, part] of between(starts ? now : this.last, now)) this.put(passed, low + part * (high - low));
    this.last = now;
    if (starts) this.board.setPointerCapture(event.pointerId);
  }

  /** The dots, curves and numbers as they are now; the reader's curve begins where the known part ends. */
  showNumbers() {
    const known = this.given.length;
    const truth = this.draft.map((_, place) => (this.answer ?? this.given)[place] ?? null);
    const guess = this.draft.map((number, place) => (place < known - 1 ? null : number));
    for (const [index, values] of [guess, truth].entries()) {
      this.curves[index].setAttribute("d", pathOf(values, this.scale));
      this.places.forEach((node, place) => this.showNumber(index, place, node, values[place]));
    }
    this.places.forEach((node, place) => this.tell(node, place, truth[place]));
  }

  showNumber(index, place, node, value) {
    const isThere = value !== null && (index === 1 || place >= this.given.length);
    const word = this.kind === "number" ? `${[this.words.you, this.truth][index]} ` : "";
    this.numbers[index][place].textContent = isThere ? word + this.text(value) : "";
    node.style.setProperty(`--${DOTS[index]}`, `${100 * partOf(value ?? NaN, this.scale)}%`);
    node.classList.toggle(`has-${DOTS[index]}`, isThere && Number.isFinite(value));
  }

  /** The numbers of a place for those who do not see them. */
  tell(node, place, truth) {
    const { words, draft } = this;
    const name = this.labels[place] ?? this.question;
    const measured = truth === null ? "" : `${this.truth} ${this.text(truth)}`;
    const isKnown = place < this.given.length;
    node.setAttribute("aria-label", isKnown ? `${name}: ${measured}` : name);
    if (isKnown) return;
    const guess = draft[place] === null ? words["no guess"] : this.text(draft[place]);
    node.setAttribute("aria-valuenow", draft[place] ?? this.scale.low);
    node.setAttribute("aria-valuetext", measured ? `${words["you said"]} ${guess}, ${measured}` : guess);
  }
}

function render(place) {
  return mounted(PredictView, place);
}

export default { render };
