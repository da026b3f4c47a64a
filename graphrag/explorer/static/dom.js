"use strict";
// What the page puts on the screen goes through here, as text and never as markup.

/** Return a text with what would steer a screen shown: control codes and turns of direction. */
function shown(text) {
  return String(text ?? "").replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** Return an element with properties and children; strings become text. */
function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  fill(made, children);
  return made;
}

/** Put children into an element; what is null, false or 0 is left out. */
function fill(element, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false || child === 0) continue;
    element.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  }
  return element;
}

/** Show these children in place of what an element has. */
function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, children);
}

const $ = (id) => document.getElementById(id);
const words = (relation) => relation.replaceAll("_", " ");
const plural = (count, one, many = one + "s") =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Return the day of a moment in seconds since 1970, as every other page writes it. */
function day(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "?" : date.toISOString().replace(/T.*/, "");
}

/** Return an interval for people, from and to in seconds, null where none is known. */
function lifetime(from, to) {
  if (to === null) return from === null ? "start unknown" : `since ${day(from)}`;
  return `${from === null ? "unknown" : day(from)} to ${day(to)}`;
}

/** Return seconds since 1970 of an ISO date, null for none. */
const seconds = (iso) => (iso ? Date.parse(iso) / 1000 : null);

/** Tell whether somebody's text is a moment that can be asked for. */
const isMoment = (text) => /^\d{4}-\d\d(-\d\d(T.*)?)?$/.test(text ?? "") && Number.isFinite(seconds(text));

/** Run a function once things have been quiet for a while. */
function settled(wait, run) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), wait);
  };
}

const toast = {
  timer: 0,
  box: $("toast"),
  /** Say something for a while, with a button if there is something to do about it. */
  say(text, { action, run, error = false, keep = error ? 9000 : 7000 } = {}) {
    clearTimeout(this.timer);
    const { box } = this;
    this.lay();
    const button = action && el("button", { type: "button", onclick: () => (this.hide(), run()) }, action);
    replace(box, el("span", {}, text), button);
    box.classList.toggle("error", error);
    box.hidden = false;
    this.timer = setTimeout(() => this.hide(), keep);
  },
  hide() {
    this.box.hidden = true;
  },
  /** Lie over the page; a dialog lies over all else of it: what is said must be in it then. */
  lay() {
    ($("sheet").open ? $("sheet") : document.body).append(this.box);
  },
};

/** What is remembered of a visitor; a frame or a strict browser has no place for it. */
const kept = {
  get(name, store = "localStorage") {
    try {
      return window[store].getItem(`explorer.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value, store = "localStorage") {
    try {
      window[store].setItem(`explorer.${name}`, value);
    } catch {
      return;
    }
  },
};
