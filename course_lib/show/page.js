// A view in a page without Python: a model that only remembers, and what a page inside a page needs.

import { isDark, watchScreen } from "./common.js";

/** The part of the notebook's model that a view uses. Bytes come as {bytes: base64}. */
export class PageModel extends EventTarget {
  constructor(state) {
    super();
    this.state = Object.fromEntries(Object.entries(state).map(([name, value]) => [name, decoded(value)]));
  }
  get(name) {
    return this.state[name];
  }
  set(name, value) {
    this.state[name] = value;
    this.dispatchEvent(new Event(`change:${name}`));
  }
  save_changes() {}
  on(name, action) {
    this.addEventListener(name, action);
  }
  off(name, action) {
    this.removeEventListener(name, action);
  }
}

const decoded = (value) => {
  if (value?.bytes === undefined) return value;
  return Uint8Array.from(atob(value.bytes), (character) => character.charCodeAt(0));
};

/** Draw the view; if this page is a frame, make the frame as high as the view and hide the picture before it. */
export function showPage(render, state) {
  const host = document.getElementById("view");
  render({ model: new PageModel(state), el: host });
  const paper = () => (document.body.style.background = THEME[isDark() ? "dark" : "light"].page);
  watchScreen(paper);
  paper();
  const frame = window.frameElement;
  if (!frame) return;
  const fit = () => (frame.style.height = `${Math.ceil(host.getBoundingClientRect().height)}px`);
  new ResizeObserver(fit).observe(host);
  fit();
  if (frame.previousElementSibling?.tagName === "IMG") frame.previousElementSibling.hidden = true;
}
