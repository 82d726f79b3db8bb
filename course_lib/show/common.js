// What the views share: colours, numbers, words, small pieces of the page. Python puts THEME (theme.json) and
// WORDS (words.json) in front of this file, so that pictures and views have the same colours and words.

// ---- colours ----------------------------------------------------------------------------------------------------

const channels = (hex) => [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
export const css = (rgb) => `rgb(${rgb.join(" ")})`;

/** `size` colours [red, green, blue], evenly spaced between the stops: the same table as theme.ramp in Python. */
export function rampTable(stops, size = 256) {
  const colours = stops.map(channels);
  return Array.from({ length: size }, (_, index) => {
    const place = (index / (size - 1)) * (stops.length - 1);
    const before = Math.min(Math.floor(place), stops.length - 2);
    const part = place - before;
    return [0, 1, 2].map((c) => Math.round(colours[before][c] * (1 - part) + colours[before + 1][c] * part));
  });
}

/** The colour of a weight on a scale from 0 to `largest`. */
export function colourOf(weight, largest, table) {
  const place = Math.round((weight / largest) * (table.length - 1));
  return table[Math.max(0, Math.min(table.length - 1, place))];
}

export function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is easier to read on this background. */
export const letterColour = (background) => (luminance(background) > 0.179 ? "#000" : "#fff");

/** The view's own document, and that of the page whose frame it is in, where the browser gives access to it. */
const documents = () => (window.frameElement ? [document, window.frameElement.ownerDocument] : [document]);

/** Where a page says its theme: JupyterLab, VS Code, the course's site, Colab; elsewhere the reader's system does. */
const THEME_ATTRIBUTES = ["data-jp-theme-light", "data-vscode-theme-kind", "data-theme", "theme"];

/** Is the page around the view dark? */
export function isDark() {
  for (const { body, documentElement } of documents()) {
    const { jpThemeLight, vscodeThemeKind, theme } = body.dataset;
    if (jpThemeLight !== undefined) return jpThemeLight === "false";
    if (vscodeThemeKind !== undefined) return !vscodeThemeKind.includes("light");
    const named = theme ?? documentElement.dataset.theme ?? documentElement.getAttribute("theme");
    if (named === "dark" || named === "light") return named === "dark";
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

const themes = new WeakMap(); // what applyTheme returned last for an element

/** Give an element the colours of the present theme, and return them; quick where nothing has changed. */
export function applyTheme(root) {
  const name = isDark() ? "dark" : "light";
  if (themes.get(root)?.name === name) return themes.get(root);
  for (const colour of ["page", "ink", "muted", "line", "gold", "wrong"]) {
    root.style.setProperty(`--${colour}`, THEME[name][colour]);
  }
  root.style.colorScheme = name;
  const [table, goldTable] = [rampTable(THEME[name].ramp), rampTable([THEME[name].page, THEME[name].gold])];
  themes.set(root, { ...THEME[name], name, table, goldTable });
  return themes.get(root);
}

/** Call back when the theme or the screen's resolution changes; returns a function that ends this. */
export function watchScreen(callback) {
  const observer = new MutationObserver(callback);
  for (const { body, documentElement } of documents()) {
    observer.observe(body, { attributeFilter: THEME_ATTRIBUTES });
    observer.observe(documentElement, { attributeFilter: THEME_ATTRIBUTES });
  }
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", callback);
  window.addEventListener("resize", callback);
  return () => {
    observer.disconnect();
    scheme.removeEventListener("change", callback);
    window.removeEventListener("resize", callback);
  };
}

// ---- numbers ----------------------------------------------------------------------------------------------------

/** 32-bit numbers from the bytes that Python sent, or from a page's list of numbers. */
export function floats(data) {
  if (!data.buffer || data instanceof Float32Array) return Float32Array.from(data);
  return new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
}

/** exp(score / temperature), divided by its sum. A score of −∞ is masked; a row with nothing else gives zeros. */
export function softmax(scores, temperature = 1) {
  const largest = Math.max(...scores);
  if (largest === -Infinity) return scores.map(() => 0);
  const weights = scores.slice();
  let sum = 0;
  for (let place = 0; place < scores.length; place++) {
    weights[place] = Math.exp((scores[place] - largest) / temperature);
    sum += weights[place];
  }
  for (let place = 0; place < scores.length; place++) weights[place] /= sum; // loops: a frame is short for functions
  return weights;
}

export const isMasked = (weight) => weight === -Infinity;
export const isWrong = (weight) => Number.isNaN(weight) || weight === Infinity;

/** A number from 0 on in a few characters: .07, .93, 1. */
export function short(weight, digits = 2) {
  if (!Number.isFinite(weight)) return isMasked(weight) ? "–" : Number.isNaN(weight) ? "nan" : "inf";
  const text = weight.toFixed(digits);
  return Number(text) % 1 === 0 ? String(Number(text)) : text.replace(/^0/, "");
}

/** Any number in a few characters, with a real minus: .25, −.25, 0. */
export function signed(number, digits = 2) {
  const size = short(Math.abs(number), digits);
  return number < 0 && size !== "0" ? `−${size}` : size;
}

/** The largest of 1, 2, 5, 10, 20, … and their tenths that is not above a number. */
export function roundStep(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [5, 2, 1].find((factor) => factor * power <= number * (1 + 1e-9)) * power;
}

/** How many decimals a step needs. */
export const decimalsOf = (step) => Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));

/** A number on the nearest multiple of a step. */
export const onStep = (number, step) => Number((Math.round(number / step) * step).toFixed(decimalsOf(step)));

/** Round numbers between two limits, about five of them. */
export function ticksOf([low, high]) {
  const step = roundStep((high - low) / 3.5);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => onStep((first + index) * step, step));
}

// ---- words ------------------------------------------------------------------------------------------------------

/** The fonts in which the browser looks for a character; the last but one travels with the view (base.js). */
export const FONTS = 'system-ui, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", "Lesson Sans", sans-serif';

/** A token with visible blanks. */
export const shown = (token) => (token.trim() === "" ? "␣".repeat(token.length) : token);

/** The language of these tokens, for their font (Chinese and Japanese share characters, not their shapes). */
export function languageOf(tokens) {
  const text = tokens.join("");
  if (/[\u3040-\u30ff]/.test(text)) return "ja";
  if (/[\uac00-\ud7a3]/.test(text)) return "ko";
  return /[\u3400-\u9fff]/.test(text) ? "zh-Hans" : "";
}

/** How wide each token is in bold letters, in pixels. */
export function widthsOf(tokens) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `bold 13px ${FONTS}`;
  return tokens.map((token) => Math.ceil(context.measureText(shown(token)).width));
}

// ---- pieces of the page -----------------------------------------------------------------------------------------

/** A new element. Children that are strings become text, never markup. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A new SVG element. */
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A formula as nodes: letters slant, names such as tanh, digits and brackets do not; x_{i−1} and x^T are lowered and
 * raised. */
export const formula = (text) =>
  formulaParts(text).map(({ kind, text: part }) => {
    if (kind === "upright") return part;
    return kind === "letter" ? element("i", {}, part) : element(kind, {}, ...formula(part));
  });

/** The parts { kind: "letter" | "sub" | "sup" | "upright", text } of a formula. */
export function formulaParts(text) {
  const pattern = /_(?:\{([^}]*)\}|(.))|\^(?:\{([^}]*)\}|(.))|(\p{L}{3,}|[^\p{L}\p{M}_^]+)|(\p{L}\p{M}*)|./gsu;
  return [...text.matchAll(pattern)].map(([all, low, below, high, above, upright, letter]) => {
    const [sub, sup] = [low ?? below, high ?? above];
    if (sub !== undefined) return { kind: "sub", text: sub };
    if (sup !== undefined) return { kind: "sup", text: sup };
    return { kind: letter ? "letter" : "upright", text: letter ?? upright ?? all };
  });
}

/** A <span> in the plot for every nth token, placed by `styleOf(index)`; returns a span for each token. */
export function labels(plot, tokens, { side, name, every, styleOf }) {
  const language = languageOf(tokens);
  return tokens.map((token, index) => {
    const node = element("span", { class: name, dir: "auto", "aria-hidden": "true" }, shown(token));
    if (language) node.lang = language;
    node.dataset[side] = index;
    Object.assign(node.style, styleOf(index));
    if (index % every === 0) plot.append(node);
    return node;
  });
}

/** The focusable element that a map is drawn in, with its canvases; `label` is for screen readers. */
export function plot(label, names) {
  const canvases = names.map((name) => element("canvas", { class: name }));
  const attributes = { class: "lesson-plot", tabindex: "0", role: "application", "aria-label": label };
  return { plot: element("div", attributes, ...canvases), canvases };
}

/** A labelled slider; `describe(value)` is its text. Returns the label, with `show(value)`. */
export function slider(name, { min, max, step }, describe, onInput) {
  const input = element("input", { type: "range", min, max, step });
  const meaning = element("span", { class: "meaning" });
  const label = element("label", {}, name, input, meaning);
  label.show = (value) => {
    input.value = value;
    meaning.textContent = describe(value);
    input.setAttribute("aria-valuetext", describe(value));
  };
  input.addEventListener("input", () => {
    input.setAttribute("aria-valuetext", describe(Number(input.value))); // for screen readers, at once
    onInput(Number(input.value));
  });
  return label;
}

/** A labelled list to choose one of these names, by their index. Returns the label, with `show(index)`. */
export function choice(name, names, onInput) {
  const select = element("select");
  names.forEach((text, index) => select.add(new Option(text, String(index))));
  select.addEventListener("input", () => onInput(Number(select.value)));
  const label = element("label", {}, name, select);
  label.show = (index) => (select.value = String(index));
  return label;
}

/** A table with a caption, column heads and rows [head, cell, cell, …] of strings. */
export function table(caption, heads, rows) {
  const head = element("tr", {}, element("td"), ...heads.map((text) => element("th", { scope: "col" }, text)));
  const line = ([first, ...cells]) =>
    element("tr", {}, element("th", { scope: "row" }, first), ...cells.map((text) => element("td", {}, text)));
  return element("table", {}, element("caption", {}, caption), element("tbody", {}, head, ...rows.map(line)));
}

/** Pixels: the largest height of a map, and the room for one word below the other. */
export const [TALLEST, LABEL] = [620, 16];

/** Make a canvas sharp on this screen and empty; returns its context, which counts in the page's pixels. */
export function sharp(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const context = canvas.getContext("2d");
  context.setTransform(wide / width, 0, 0, high / height, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Fill a rectangle with slanting lines; crossed ones for what is not a number. */
export function hatch(context, [x, y, width, height], colour, crossed = false) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  for (let shift = -height; shift < width; shift += 5) {
    context.moveTo(x + shift, y + height);
    context.lineTo(x + shift + height, y);
    if (crossed) context.moveTo(x + shift, y);
    if (crossed) context.lineTo(x + shift + height, y + height);
  }
  Object.assign(context, { strokeStyle: colour, lineWidth: 1 });
  context.stroke();
  context.restore();
}

/** Keep single keys from the notebook around the view (there, "x" cuts a cell); Shift+Enter and the like pass.
 * Notebook 7 receives a key before the view does, but respects an attribute of elements: here the view's own, and the
 * controls that Python has put beside it into the same output. Returns what ends this. */
export function keepKeys(root) {
  const isOurs = (event) => {
    const command = event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key === "Enter");
    return !command && event.key !== "Escape";
  };
  const mark = (event) => {
    const home = root.closest(".jp-OutputArea-output") ?? root;
    if (home.contains(event.target)) event.target.toggleAttribute("data-lm-suppress-shortcuts", isOurs(event));
  };
  window.addEventListener("keydown", mark, true);
  root.addEventListener("keydown", (event) => isOurs(event) && event.stopPropagation());
  return () => window.removeEventListener("keydown", mark, true);
}
