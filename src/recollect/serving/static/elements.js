// Elements of the page: what people and models wrote becomes text nodes, never markup.

/** Return a new element; attributes that are functions listen, `false` and `null` are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Return a new element of an SVG drawing. */
export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Return the element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Return text for screen readers alone. */
export function unseen(text) {
  return element("span", { class: "unseen" }, text);
}
