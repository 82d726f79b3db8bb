// PredictView: readers commit to a prediction before they see the answer, which then stands beside it.
// A prediction, like an answer, has an entry for each index: a row of the table, a label of the axis, or the only one.

import { LessonView, mount } from "./base.js";
import { applyTheme, element, shown, signed, ticksOf } from "./common.js";
import { between, difference, distances, mark, moved, opened, partOf, pathOf, snapped } from "./predict.js";

const SIGNS = { right: "✓", wrong: "✗", missed: "■" };
const DOTS = ["guess", "truth"];
const CURVES = '<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"><path/><path/></svg>';

class PredictView extends LessonView {
  static traits = { draw: ["guess"] };

  build() {
    const names = ["kind", "question", "options", "labels", "given", "scale", "unit"];
    for (const name of names) this[name] = this.get(name);
    this.count = this.labels.length || 1;
    this.isChoice = this.options.length > 0;
    this.draft ??= Array.from({ length: this.count }, (_, index) => this.given[index] ?? null);
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
    return { ...words, table: words["prediction and answer"], truth: words[this.isChoice ? "answer" : "measured"] };
  }

  /** Everything that depends on whether the reader has committed. */
  draw() {
    const guess = this.get("guess") ?? null;
    this.committed = guess !== null;
    if (this.committed) this.draft = [].concat(guess);
    const { answer, why } = opened(this.get("sealed"), this.isChoice);
    this.answer = this.committed ? answer : null;
    this.why.textContent = this.committed ? why : "";
    this.why.hidden = !this.why.textContent;
    this.button.hidden = this.committed;
    this.group.setAttribute("role", this.kind === "choice" && !this.committed ? "radiogroup" : "group");
    const draw = { choice: this.drawOptions, rows: this.drawRows, number: this.drawScale, curve: this.drawScale };
    this.area.replaceChildren(...draw[this.kind].call(this));
    this.show();
  }

  /** Everything that changes while the reader makes a prediction. */
  show() {
    if (!this.isChoice) this.showNumbers();
    const all = this.count - this.given.length;
    const made = this.draft.filter((entry) => entry !== null).length - this.given.length;
    this.button.disabled = made < all;
    const { predicted, of } = this.words;
    const status = this.committed ? this.comparison() : all > 1 ? `${made} ${of} ${all} ${predicted}` : "";
    if (this.status.textContent !== status) this.status.textContent = status;
    if (this.details.open) this.writeTable();
  }

  /** Predict an option, or a number, for an index. What is known stays, and everything once it is committed to. */
  put(index, value) {
    if (this.committed || index < this.given.length) return;
    this.draft[index] = this.isChoice ? value : snapped(value, this.scale);
    this.show();
  }

  commit() {
    this.set("guess", this.labels.length ? [...this.draft] : this.draft[0]);
    this.group.focus({ preventScroll: true }); // the button is gone
  }

  /** The prediction beside the answer, in a sentence. */
  comparison() {
    const { words, answer, draft, labels } = this;
    const said = (entry) => (this.isChoice ? `“${shown(entry)}”` : this.text(entry));
    const both = (index) => `${words["you predicted"]} ${said(draft[index])}, ${words.truth} ${said(answer[index])}`;
    if (this.kind === "number") return `${both(0)}: ${difference(draft[0], answer[0], this.scale.digits, words)}`;
    const right = draft.filter((entry, index) => entry === answer[index]).length;
    if (this.kind === "rows") return `${right} ${words.of} ${this.count} ${words.right}`;
    if (this.kind === "choice") return right ? `${words["you predicted"]} ${said(draft[0])}: ${words.right}` : both(0);
    const { mean, most } = distances(draft, answer, this.given.length);
    return `${words["mean error"]} ${this.text(mean)}; ${words["largest at"]} ${shown(labels[most])}: ${both(most)}`;
  }

  tableParts() {
    const { words, draft, answer, given } = this;
    const text = (entry) => ((entry ?? null) === null ? "" : this.isChoice ? shown(entry) : this.text(entry));
    const rows = draft.map((entry, index) => {
      const guess = index < given.length ? null : entry;
      return [shown(this.labels[index] ?? this.question), text(guess), text((answer ?? given)[index])];
    });
    return [this.labels.length ? this.question : "", [words.you, words.truth], rows];
  }

  // ---- one option, or one for each row --------------------------------------------------------------------------

  radio(index, option, label = {}) {
    const input = element("input", { type: "radio", name: `entry ${index}`, ...label });
    input.checked = this.draft[index] === option;
    input.addEventListener("change", () => this.put(index, option));
    return input;
  }

  /** What became of an option: the name of its style, a sign and words. */
  outcome(index, option) {
    const { you, right, wrong, answer } = this.words;
    const name = mark(option, this.draft[index], this.answer[index]);
    const texts = { right: `${you}, ${right}`, wrong: `${you}, ${wrong}`, missed: answer };
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
    const cell = (index, option) => {
      if (!this.committed) return element("td", {}, this.radio(index, option, { "aria-label": shown(option) }));
      const { name, sign, text } = this.outcome(index, option);
      return element("td", { class: name }, sign, element("span", { class: "lesson-unseen" }, text));
    };
    const rows = this.labels.map((label, index) => {
      const cells = this.options.map((option) => cell(index, option));
      const group = this.committed ? {} : { role: "radiogroup", "aria-label": shown(label) };
      return element("tr", group, element("th", { scope: "row" }, shown(label)), ...cells);
    });
    const body = element("tbody", {}, element("tr", {}, element("td"), ...heads), ...rows);
    const grid = element("table", this.committed ? {} : { role: "presentation" }, body);
    const scroller = { class: "scroller", role: "group", tabindex: 0, "aria-label": this.question };
    const { you, right, wrong, answer } = this.words;
    const key = `${SIGNS.right} ${you}, ${right} · ${SIGNS.wrong} ${you}, ${wrong} · ${SIGNS.missed} ${answer}`;
    return [element("div", scroller, grid), element("p", { class: "help" }, this.committed ? key : "")];
  }

  // ---- a number, or a curve -------------------------------------------------------------------------------------

  text(number) {
    return signed(number, this.scale.digits) + (/^\p{L}/u.test(this.unit) ? `\u00a0${this.unit}` : this.unit);
  }

  /** What a pointer draws in, with a slider for each index, and the numbers: below the curve, or beside the dots. */
  drawScale() {
    this.board = element("div", { class: "board" });
    this.board.innerHTML = CURVES;
    this.curves = this.board.querySelectorAll("path");
    this.numbers = DOTS.map((name) => this.draft.map(() => element("span", { class: `number ${name}` })));
    this.columns = this.draft.map((_, index) => this.column(index));
    this.board.prepend(...ticksOf([this.scale.low, this.scale.high]).map((tick) => this.tick(tick)));
    this.board.append(...this.columns);
    const pointed = (event) => this.pointed(event);
    for (const name of ["pointerdown", "pointermove"]) this.board.addEventListener(name, pointed);
    const help = this.words[this.kind === "curve" ? "draw" : "slide"];
    const sheet = element("div", { class: "sheet", style: `--count: ${this.count}` }, this.board);
    if (this.kind === "curve") sheet.append(this.numbersBelow());
    return [element("p", { class: "help" }, this.committed ? "" : help), sheet];
  }

  numbersBelow() {
    const heads = [this.words.you, this.words.truth].map((word) => element("span", { class: "head" }, word));
    const names = this.labels.map((label) => element("span", { class: "name" }, shown(label)));
    const lines = [element("span"), ...names, heads[0], ...this.numbers[0], heads[1], ...this.numbers[1]];
    return element("div", { class: "below", "aria-hidden": "true" }, ...lines);
  }

  tick(number) {
    const text = element("span", {}, String(number).replace("-", "−").replace(/^(−?)0\./, "$1."));
    const style = `--at: ${100 * partOf(number, this.scale)}%`;
    return element("span", { class: "tick", style, "aria-hidden": "true" }, text);
  }

  /** A slider with the two dots of an index; only a picture where the number is known. */
  column(index) {
    const { low, high } = this.scale;
    const dots = DOTS.map((name) => element("span", { class: `dot ${name}` }));
    const numbers = this.kind === "number" ? this.numbers.flat() : [];
    const orientation = this.kind === "curve" ? "vertical" : "horizontal";
    const range = { tabindex: 0, "aria-orientation": orientation, "aria-valuemin": low, "aria-valuemax": high };
    const role = index < this.given.length ? { role: "img" } : { role: "slider", ...range };
    const node = element("div", { class: "column", ...role }, ...dots, ...numbers);
    if (this.committed && role.tabindex === 0) node.setAttribute("aria-readonly", "true");
    node.addEventListener("keydown", (event) => {
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      const value = plain ? moved(this.draft[index], event.key, this.scale) : null;
      if (value === null) return;
      event.preventDefault();
      this.put(index, value);
    });
    return node;
  }

  /** The pointer went down, or moves while it is down: each column that it passed gets its number. */
  pointed(event) {
    const starts = event.type === "pointerdown";
    if (this.committed || !(starts || this.board.hasPointerCapture(event.pointerId))) return;
    const box = this.board.getBoundingClientRect();
    const [across, up] = [(event.clientX - box.left) / box.width, (box.bottom - event.clientY) / box.height];
    const index = Math.max(0, Math.min(this.count - 1, Math.floor(across * this.count)));
    const now = [index, this.kind === "curve" ? up : across];
    const { low, high } = this.scale;
    for (const [passed, part] of between(starts ? now : this.last, now)) this.put(passed, low + part * (high - low));
    this.last = now;
    if (starts) this.board.setPointerCapture(event.pointerId);
  }

  /** The dots, curves and numbers as they are now; the reader's curve begins where the known part ends. */
  showNumbers() {
    const known = this.given.length;
    const truth = this.draft.map((_, index) => (this.answer ?? this.given)[index] ?? null);
    const guess = this.draft.map((number, index) => (index < known - 1 ? null : number));
    for (const [dot, values] of [guess, truth].entries()) {
      this.curves[dot].setAttribute("d", pathOf(values, this.scale));
      this.columns.forEach((node, index) => this.showNumber(dot, index, node, values[index]));
    }
    this.columns.forEach((node, index) => this.describe(node, index, truth[index]));
  }

  showNumber(dot, index, node, value) {
    const isThere = value !== null && (dot === 1 || index >= this.given.length);
    const word = this.kind === "number" ? `${[this.words.you, this.words.truth][dot]} ` : "";
    this.numbers[dot][index].textContent = isThere ? word + this.text(value) : "";
    node.style.setProperty(`--${DOTS[dot]}`, `${100 * partOf(value ?? NaN, this.scale)}%`);
    node.classList.toggle(`has-${DOTS[dot]}`, isThere && Number.isFinite(value));
  }

  /** The numbers of a column for screen readers. */
  describe(node, index, truth) {
    const { words, draft } = this;
    const name = this.labels[index] ?? this.question;
    const measured = truth === null ? "" : `${words.truth} ${this.text(truth)}`;
    const isKnown = index < this.given.length;
    node.setAttribute("aria-label", isKnown ? `${name}: ${measured}` : name);
    if (isKnown) return;
    const guess = draft[index] === null ? words["no prediction"] : this.text(draft[index]);
    node.setAttribute("aria-valuenow", draft[index] ?? this.scale.low);
    node.setAttribute("aria-valuetext", measured ? `${words["you predicted"]} ${guess}, ${measured}` : guess);
  }
}

const render = mount(PredictView);

export default { render };
