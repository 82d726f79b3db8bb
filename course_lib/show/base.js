// What every live view does: it follows its model and the theme around it, keeps its keys from the notebook, says in
// words what it shows, shows what Python has to say, and leaves nothing behind when it ends.

import { element, keepKeys, table, watchScreen } from "./common.js";

const UNTIL_SAVED = 50; // milliseconds: some frames

export class LessonView {
  /** A subclass says which of its methods a change of which traits calls: `static traits = { build: ["keys"], … }`.
   * It has at least build() (the elements; calls place()) and paint() (what depends on numbers and theme). */
  constructor(model, host) {
    Object.assign(this, { model, endings: [], unsaved: new Map(), face: null });
    this.root = element("div", { class: "lesson-view" });
    host.append(this.root);
    this.endings.push(keepKeys(this.root));
    for (const [method, names] of Object.entries(this.constructor.traits)) this.follow(names, () => this[method]());
    this.follow(["lang", "words"], () => this.build());
    this.follow(["message"], () => this.writeMessage());
    this.endings.push(watchScreen(() => this.paint()));
    this.loadFont();
    this.follow(["font"], () => {
      this.loadFont();
      this.build();
    });
    this.build();
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.root);
    this.endings.push(() => observer.disconnect());
  }

  /** Called when the view has become wider, narrower, higher or lower; a subclass may lay itself out anew. */
  fit() {}

  get(name) {
    return this.unsaved.has(name) ? this.unsaved.get(name) : this.model.get(name);
  }

  /** Change a trait: the view draws at once. Python hears of it when the picture is on the screen, since JupyterLab is
   * busy for some milliseconds with each message to the kernel; or `atOnce`, where the picture waits for Python. */
  set(name, value, atOnce = false) {
    this.unsaved.set(name, value);
    this.model.set(name, value);
    if (atOnce) this.save();
    else this.saving ??= setTimeout(() => this.save(), UNTIL_SAVED);
  }

  /** Tell Python. Its answer to an earlier change may have come in between, and says what was then. */
  save() {
    clearTimeout(this.saving);
    this.saving = null;
    for (const [name, value] of this.unsaved) if (this.model.get(name) !== value) this.model.set(name, value);
    this.unsaved.clear();
    this.model.save_changes();
  }

  /** Call `action` when one of these traits changes, until the view ends. */
  follow(names, action) {
    for (const name of names) this.model.on(`change:${name}`, action);
    this.endings.push(() => names.forEach((name) => this.model.off(`change:${name}`, action)));
  }

  /** The words of the view's language, or those that Python gave in their place. */
  get words() {
    return { ...WORDS[this.get("lang")], ...this.get("words") };
  }

  /** Put these into the view, below them the status line, what Python says, and the numbers as a table. */
  place(...nodes) {
    this.status = element("div", { class: "lesson-status", role: "status", "aria-live": "polite" });
    this.message = element("pre", { class: "lesson-message", role: "alert", hidden: "" });
    this.details = element("details", {}, element("summary", {}, this.words.table));
    this.details.addEventListener("toggle", () => this.writeTable());
    this.root.replaceChildren(...nodes, this.status, this.message, this.details);
    this.writeMessage();
  }

  /** The caption, the column heads and the rows of the table behind the picture; a subclass knows them. */
  tableParts() {
    return ["", [], []];
  }

  writeTable() {
    this.details.querySelector("table")?.remove();
    if (this.details.open) this.details.append(table(...this.tableParts()));
  }

  /** Show what the reader's function printed, or how it failed: {printed} or {printed, error}. */
  writeMessage() {
    const { printed = "", error = "" } = this.get("message") ?? {};
    this.message.textContent = [printed.trimEnd(), error].filter(Boolean).join("\n");
    this.message.hidden = !this.message.textContent;
    this.root.classList.toggle("stale", Boolean(error));
  }

  /** Chinese characters travel with the view, for browsers that have no font for them. They are there before anything
   * is written: a browser remembers how it drew a word, also as boxes. */
  loadFont() {
    this.dropFont();
    const data = this.get("font");
    if (!data?.byteLength) return;
    const face = new FontFace("Lesson Sans", data);
    this.face = face;
    document.fonts.add(face);
    if (face.status !== "loaded") face.load().then(() => this.face === face && this.build());
  }

  dropFont() {
    if (this.face) document.fonts.delete(this.face);
    this.face = null;
  }

  /** A player of the trait `step`, up to `last()`; from the first step if the last is reached. */
  stepPlayer(last, seconds) {
    const isLast = () => this.get("step") >= last();
    const move = (step) => {
      this.set("step", step);
      return true;
    };
    this.player?.pause();
    return new Player({
      words: this.words,
      seconds,
      begin: () => isLast() && move(0),
      next: () => !isLast() && move(this.get("step") + 1),
      // a step a second is too much to be read aloud
      changed: (playing) => this.status?.setAttribute("aria-live", playing ? "off" : "polite"),
    });
  }

  end() {
    this.player?.pause();
    if (this.saving) this.save();
    for (const ending of this.endings) ending();
    this.dropFont();
    this.root.remove();
  }
}

/** A button that plays: it calls `next` at an even pace until that returns false, and `begin` before, if there is
 * one, which says whether it has moved already. `changed(playing)` is told. Not shown where no motion is wanted. */
export class Player {
  constructor({ words, seconds, next, begin = () => false, changed = () => {} }) {
    Object.assign(this, { words, seconds, next, begin, changed, timer: null });
    this.button = element("button", { type: "button", class: "lesson-play" });
    this.button.addEventListener("click", () => (this.timer ? this.pause() : this.start()));
    this.show();
  }

  start() {
    if (this.begin()) this.wait();
    else this.tick();
    this.show();
  }

  tick() {
    if (this.next()) this.wait();
    else this.pause();
  }

  wait() {
    this.timer = setTimeout(() => this.tick(), 1000 * this.seconds);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show();
  }

  show() {
    this.button.textContent = this.timer ? `❚❚ ${this.words.pause}` : `▶ ${this.words.play}`;
    this.changed(Boolean(this.timer));
  }
}

/** What a view's file exports as `render`: draws the view, and returns what ends it. */
export function mounted(View, { model, el }) {
  const view = new View(model, el);
  return () => view.end();
}
