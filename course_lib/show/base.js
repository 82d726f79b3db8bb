// What every live view does: it follows its model and the theme around it, keeps its keys from the notebook, has a
// status line and a table of its numbers, shows messages from Python, and leaves nothing behind when it ends.

import { element, keepKeys, table, watchScreen } from "./common.js";

const UNTIL_SAVED = 50; // milliseconds: some frames

export class LessonView {
  /** A subclass has `static traits`, the methods that a change of a trait calls, { build: ["keys"], … }, and at least
   * build() (the elements; calls place()) and paint() (what depends on numbers and theme). */
  constructor(model, host) {
    Object.assign(this, { model, endings: [], unsaved: new Map(), face: null });
    this.root = element("div", { class: "lesson-view" });
    host.append(this.root);
    this.endings.push(keepKeys(this.root));
    for (const [method, names] of Object.entries(this.constructor.traits)) this.follow(names, () => this[method]());
    this.follow(["lang", "words"], () => this.build());
    this.follow(["message"], () => this.writeMessage());
    this.follow(["font"], () => this.loadFont() || this.build());
    this.endings.push(watchScreen(() => this.paint()));
    this.loadFont();
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

  /** Change a trait: the view draws at once, and Python is told some frames later, since each message to the kernel
   * keeps JupyterLab busy for milliseconds; or `atOnce`, where the picture waits for Python. */
  set(name, value, atOnce = false) {
    this.unsaved.set(name, value);
    this.model.set(name, value);
    if (atOnce) this.save();
    else this.saving ??= setTimeout(() => this.save(), UNTIL_SAVED);
  }

  /** Send the changes to Python; an echo of an earlier change may have come in between and is overwritten. */
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

  /** The words of the view's language, with the reader's own in their place. */
  get words() {
    return { ...WORDS[this.get("lang")], ...this.get("words") };
  }

  /** Put these into the view, below them the status line, the message from Python, and the table of numbers. */
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

  /** Load the view's own Chinese characters before anything is written: a browser remembers boxes that it drew. */
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

  /** A button that plays the trait `step` up to `last()`, from the first step if the last is reached; returns
   * { button, seconds, pause }. CSS hides the button where reduced motion is preferred. */
  stepPlayer(last, seconds) {
    this.player?.pause();
    const button = element("button", { type: "button", class: "lesson-play" });
    const player = { button, seconds, timer: null };
    const show = () => {
      button.textContent = player.timer ? `❚❚ ${this.words.pause}` : `▶ ${this.words.play}`;
      this.status?.setAttribute("aria-live", player.timer ? "off" : "polite"); // too fast to be read aloud
    };
    const isLast = () => this.get("step") >= last();
    const next = () => {
      if (isLast()) return player.pause();
      this.set("step", this.get("step") + 1);
      wait();
    };
    const wait = () => (player.timer = setTimeout(next, 1000 * player.seconds));
    player.pause = () => {
      clearTimeout(player.timer);
      player.timer = null;
      show();
    };
    button.addEventListener("click", () => {
      if (player.timer) return player.pause();
      if (isLast()) {
        this.set("step", 0);
        wait();
      } else next();
      show();
    });
    show();
    return player;
  }

  end() {
    this.player?.pause();
    if (this.saving) this.save();
    for (const ending of this.endings) ending();
    this.dropFont();
    this.root.remove();
  }
}

/** What a view's file exports as `render`: draws the view, and returns what ends it. */
export const mount = (View) => ({ model, el }) => {
  const view = new View(model, el);
  return () => view.end();
};
