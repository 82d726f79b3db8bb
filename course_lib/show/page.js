// A view in a page without Python: a model that only remembers, and what a page inside a page needs.

import { isDark, watchScreen } from "./common.js";

/** The values of a view as Python wrote them: {half}, {single} and {bytes} are numbers in base64. */
export function decoded(state) {
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const decode = (value) => {
    if (value?.half !== undefined) return Float32Array.from(new Uint16Array(bytes(value.half).buffer), fromHalf);
    if (value?.single !== undefined) return new Float32Array(bytes(value.single).buffer);
    return value?.bytes !== undefined ? bytes(value.bytes) : value;
  };
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, decode(value)]));
}

/** The number that 16 bits stand for (IEEE 754, half precision). */
export function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -24 * fraction;
}

/** What a view needs of the notebook's model. */
export class PageModel extends EventTarget {
  constructor(state) {
    super();
    this.state = decoded(state);
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

/** Draw the view; if this page is a frame, make the frame as high as the view and hide the picture before it. */
export function showPage(render, state) {
  const host = document.getElementById("view");
  render({ model: new PageModel(state), el: host });
  const paper = () => (document.body.style.background = THEME[isDark() ? "dark" : "light"].page);
  watchScreen(paper);
  paper();
  let frame = null;
  try {
    frame = window.frameElement;
  } catch {
    return; // a frame that may not look at the page around it: the picture stays
  }
  if (!frame) return;
  const fit = () => (frame.style.height = `${Math.ceil(host.getBoundingClientRect().height)}px`);
  new ResizeObserver(fit).observe(host);
  fit();
  if (frame.previousElementSibling?.tagName === "IMG") frame.previousElementSibling.hidden = true;
}
