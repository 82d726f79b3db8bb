// Drawings (SVG) in views: what SoftLookupView and UnrolledView share.

/** A new element of a drawing. */
export function drawn(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
