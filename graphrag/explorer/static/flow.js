"use strict";
// Communities through time: a column for each slice, bands for who goes where, and what happened.

const BANDS = 24; // communities in one picture: more nobody tells apart
const FEWEST = 2; // members of a community that is drawn
const LENGTHS = { month: 2629800, quarter: 7889400, year: 31557600, decade: 315576000 }; // seconds
const MOST_SLICES = 240; // that a server makes
const FLOW = { block: 12, gap: 9, top: 6, side: 16, axis: 20, narrow: 36, each: 14 };

class Flow {
  constructor(app) {
    this.app = app;
    this.box = $("flow");
    this.spots = [];
    this.box.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", settled(150, () => this.found && !this.box.hidden && this.draw()));
  }

  toggle() {
    this.box.hidden ? this.start() : this.close();
  }

  /** Open the panel; what was asked for before is not asked for again. */
  async start() {
    this.open(true);
    this.every ??= this.step();
    if (this.found) this.draw();
    else await this.read();
    const idle = [document.body, $("through")].includes(document.activeElement);
    if (idle && !this.box.hidden) (this.spots.find((one) => one.element.tabIndex === 0)?.element ?? this.box.querySelector("select")).focus();
  }

  close() {
    const inside = this.box.contains(document.activeElement);
    this.open(false);
    if (this.app.gathered) this.app.leave();
    if (inside) $("through").focus();
  }

  open(open) {
    this.box.hidden = !open;
    this.box.parentElement.classList.toggle("flowing", open);
    $("through").classList.toggle("on", open);
    $("through").setAttribute("aria-expanded", String(open));
    this.app.scene.refresh();
  }

  /** Return how many slices of a length there are since the first fact began. */
  count(step) {
    const { facts, now } = this.app.model;
    const first = [...facts.start, ...facts.end].reduce((least, one) => (one === null || one > least ? least : one), now);
    return (now - first) / LENGTHS[step] + 1;
  }

  /** Return a length of which there are some, and not too many. */
  step() {
    return this.count("year") > 60 ? "decade" : this.count("year") > 4 ? "year" : "month";
  }

  /** Forget what was asked for: the graph is another one. */
  renew() {
    this.found = this.turn = null;
    if (!this.box.hidden) this.read();
  }

  async read() {
    const { app } = this;
    const turn = (this.turn = {});
    this.spots = [];
    this.found = null;
    this.frame("", el("p", { class: "quiet" }, "looking for communities in all slices …"));
    try {
      const found = await app.source.flow(this.every, app.known);
      if (this.turn !== turn) return;
      this.found = found;
      this.draw();
    } catch (error) {
      if (this.turn === turn) this.frame("", el("p", { class: "error", role: "alert" }, error.message));
    }
  }

  frame(note, ...body) {
    const steps = Object.keys(LENGTHS).map((step) =>
      el("option", { value: step, selected: step === this.every, disabled: step !== this.every && this.count(step) > MOST_SLICES }, step));
    const again = (event) => {
      this.every = event.target.value;
      this.read().then(() => this.box.querySelector("select").focus());
    };
    replace(
      this.box,
      el("header", {},
        el("h2", {}, "Communities through time"),
        el("label", { class: "small" }, "every ", el("select", { onchange: again, "aria-label": "Length of a slice" }, steps)),
        el("span", { class: "quiet" }, note),
        el("button", { class: "close", type: "button", "aria-label": "Close", onclick: () => this.close() }, "×")),
      el("div", { class: "body" }, body),
    );
  }

  /** Draw what was found, and say what happened. */
  draw() {
    const { communities, events, left_out: left, earlier } = this.found;
    const note = left ? `${plural(left, "smaller community", "smaller communities")} left out` : "";
    if (!communities.length) {
      this.spots = [];
      return this.frame(note, el("p", { class: "quiet" }, "No communities: no facts hold in these slices."));
    }
    const held = document.activeElement?.dataset.spot;
    const drawing = el("div", { class: "drawing" });
    const lines = events.map((one) => el("button", { class: `link ${one.kind}`, type: "button", onclick: () => this.went(one) }, el("span", { class: "quiet" }, `${one.at.slice(0, 10)}  `), one.said));
    const past = earlier > 0 && el("p", { class: "quiet" }, `${plural(earlier, "earlier event")} left out`);
    this.frame(note, drawing, el("div", { class: "happened", role: "group", "aria-label": "What happened" }, past, lines, !lines.length && el("p", { class: "quiet" }, "Nothing happened to them.")));
    this.picture(drawing);
    this.mark();
    if (held) this.spots.find((one) => one.element.dataset.spot === held)?.element.focus();
  }

  picture(drawing) {
    const { slices, communities, moves } = this.found;
    const { block, gap, top, side, axis, narrow, each: most } = FLOW;
    const room = drawing.clientWidth - 2 * side - block;
    const step = Math.max(narrow, slices.length > 1 ? Math.min(190, room / (slices.length - 1)) : 0);
    const order = this.order();
    const sizeOf = (place, number) => (communities[place].sizes[number] >= FEWEST ? communities[place].sizes[number] : 0);
    const columns = slices.map((_, number) => order.filter((place) => sizeOf(place, number)));
    const sums = columns.map((some, number) => some.reduce((sum, place) => sum + sizeOf(place, number), 0));
    const free = drawing.clientHeight - top - axis - 6;
    const each = Math.min(most, ...sums.map((sum, number) => Math.max(free / 2, free - gap * (columns[number].length - 1)) / Math.max(1, sum)));
    const highs = sums.map((sum, number) => sum * each + gap * Math.max(0, columns[number].length - 1));
    const tall = Math.max(...highs);
    const boxes = new Map();
    columns.forEach((some, number) => {
      let y = top + (tall - highs[number]) / 2;
      for (const place of some) {
        const high = sizeOf(place, number) * each;
        boxes.set(`${place} ${number}`, { place, number, x: side + step * number, y, high });
        y += high + gap;
      }
    });
    const width = Math.max(side * 2 + step * (slices.length - 1) + block, slices.length > 1 ? 0 : 260);
    const picture = svg("svg", { width, height: top + tall + axis, role: "group", "aria-label": "Communities by slice: arrows move, Enter chooses" });
    picture.append(...this.bands(moves, order, boxes, each));
    this.spots = [...boxes.values()].map((box) => this.block(box));
    this.stop(this.spots.find((one) => this.isChosen(one)) ?? this.spots[0]);
    picture.append(...this.spots.map((one) => one.element), ...this.names(order, boxes, width));
    const wide = Math.max(1, Math.ceil((8 + 7 * Math.max(...slices.map((one) => one.label.length))) / step));
    this.ticks = slices.map((slice, number) =>
      svg("text", { class: "axis", "text-anchor": "middle", x: side + step * number + block / 2, y: top + tall + axis - 5 }, slice.label));
    picture.append(...this.ticks.filter((_, number) => number % wide === 0));
    drawing.append(picture);
  }

  /** Return communities from top to bottom, those that exchange members side by side. */
  order() {
    const { communities, moves } = this.found;
    const between = new Map();
    moves.slice.forEach((_, row) => {
      for (const key of [`${moves.source[row]} ${moves.target[row]}`, `${moves.target[row]} ${moves.source[row]}`]) {
        between.set(key, (between.get(key) ?? 0) + moves.members[row]);
      }
    });
    const found = [];
    communities.forEach((_, place) => {
      const ties = found.map((other) => between.get(`${place} ${other}`) ?? 0);
      const best = Math.max(0, ...ties);
      const spot = best ? ties.lastIndexOf(best) : found.length;
      const sum = (some) => some.reduce((all, one) => all + one, 0);
      const above = best > 0 && sum(ties.slice(0, spot)) > sum(ties.slice(spot + 1));
      found.splice(above ? spot : spot + 1, 0, place);
    });
    return found;
  }

  /** Return a band for each move, in the colour of where it comes from. */
  bands(moves, order, boxes, each) {
    const rank = new Map(order.map((place, at) => [place, at]));
    const rows = [...moves.slice.keys()].sort((a, b) =>
      moves.slice[a] - moves.slice[b] || rank.get(moves.source[a]) - rank.get(moves.source[b]) || rank.get(moves.target[a]) - rank.get(moves.target[b]));
    const [gone, come] = [new Map(), new Map()];
    const taken = (done, box, high) => {
      const y = box.y + (done.get(box) ?? 0);
      done.set(box, (done.get(box) ?? 0) + high);
      return y;
    };
    return rows.flatMap((row) => {
      const from = boxes.get(`${moves.source[row]} ${moves.slice[row]}`);
      const to = boxes.get(`${moves.target[row]} ${moves.slice[row] + 1}`);
      if (!from || !to) return [];
      const high = moves.members[row] * each;
      const [y, up] = [taken(gone, from, high), taken(come, to, high)];
      const [left, right] = [from.x + FLOW.block, to.x];
      const mid = (left + right) / 2;
      const d = `M${left} ${y}C${mid} ${y} ${mid} ${up} ${right} ${up}V${up + high}C${mid} ${up + high} ${mid} ${y + high} ${left} ${y + high}z`;
      return [svg("path", { class: "band", d, fill: tint(from.place) })];
    });
  }

  /** Return the block of a community in a slice: a button. */
  block({ place, number, x, y, high }) {
    const { communities, slices } = this.found;
    const said = `${communities[place].name}, ${slices[number].label}: ${plural(communities[place].sizes[number], "member")}`;
    const element = svg("g", { class: "block", role: "button", tabindex: -1, "aria-label": said, "aria-pressed": this.isChosen({ place, number }), "data-spot": `${communities[place].id} ${number}` },
      svg("title", {}, said),
      svg("rect", { x, y, width: FLOW.block, height: Math.max(3, high), rx: 2, fill: tint(place) }));
    const spot = { place, number, y: y + high / 2, element };
    element.addEventListener("click", () => this.choose(spot));
    return spot;
  }

  /** Return a name beside the tallest block of each community that has room for it. */
  names(order, boxes, width) {
    const taken = [];
    return order.flatMap((place) => {
      const name = shown(this.found.communities[place].name).split(": ")[0];
      const text = name.length > 26 ? `${name.slice(0, 25)}…` : name;
      const long = text.length * 6.4;
      const own = [...boxes.values()].filter((box) => box.place === place).sort((a, b) => b.high - a.high || a.x - b.x);
      for (const box of own) {
        const [x, y] = [box.x + FLOW.block + 4, box.y + box.high / 2 + 4];
        if (x + long > width || taken.some((one) => Math.abs(one.y - y) < 13 && x < one.x + one.long && one.x < x + long)) continue;
        taken.push({ x, y, long });
        return [svg("text", { x, y }, text)];
      }
      return [];
    });
  }

  // -- choosing -------------------------------------------------------------------------------

  isChosen({ place, number }) {
    return this.chosen?.number === number && this.chosen.id === this.found.communities[place].id;
  }

  /** Go to the end of a slice and select who was in a community there. */
  choose({ place, number }) {
    const { app, found } = this;
    const [community, slice] = [found.communities[place], found.slices[number]];
    app.time.seek(Math.floor(seconds(slice.end)) - 1); // what began in the slice holds by then
    const members = community.members[number].map((one) => [found.entities.id[one], found.entities.name[one]]);
    app.gather(community.name, slice.label, members);
    this.chosen = { id: community.id, number };
    this.stop(this.spots.find((one) => this.isChosen(one)) ?? this.spots[0]);
    this.press();
  }

  /** Go to what an event is about: what came of it, or for a death what was there before. */
  went({ at, after, before }) {
    const { communities, slices } = this.found;
    const turn = slices.findIndex((one) => one.start === at);
    const [ids, number] = after.length ? [after, turn] : [before, turn - 1];
    const spot = this.spots.find((one) => one.number === number && ids.includes(communities[one.place].id));
    if (spot) this.choose(spot);
    else this.app.time.seek(seconds(at));
  }

  /** Let go of the community that was chosen. */
  release() {
    this.chosen = null;
    if (this.found) this.press();
  }

  press() {
    for (const one of this.spots) one.element.setAttribute("aria-pressed", String(this.isChosen(one)));
  }

  /** Mark the slice that the slider is in. */
  mark() {
    if (!this.found || this.box.hidden) return;
    const { moment } = this.app;
    this.ticks?.forEach((tick, number) => {
      const { start, end } = this.found.slices[number];
      tick.classList.toggle("here", moment !== null && seconds(start) <= moment && moment < seconds(end));
    });
  }

  /** Let Tab come to this block, the arrows to the others. */
  stop(spot) {
    for (const one of this.spots) one.element.tabIndex = one === spot ? 0 : -1;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = this.spots.find((one) => one.element === event.target);
    const next = here && this.beside(here, event.key);
    if (event.key === "Escape") this.close();
    else if (here && ["Enter", " "].includes(event.key)) this.choose(here);
    else if (next) {
      this.stop(next);
      next.element.focus();
    } else if (!here || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Return the next block that way: of the same community if it is there, else the nearest. */
  beside(here, key) {
    const near = (one) => Math.abs(one.y - here.y);
    const column = (number) => this.spots.filter((one) => one.number === number);
    if (key === "ArrowUp" || key === "ArrowDown") {
      const down = key === "ArrowDown";
      return column(here.number).filter((one) => (down ? one.y > here.y : one.y < here.y)).sort((a, b) => near(a) - near(b))[0];
    }
    const way = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!way) return undefined;
    for (let number = here.number + way; number >= 0 && number < this.found.slices.length; number += way) {
      const some = column(number);
      if (some.length) return some.find((one) => one.place === here.place) ?? some.sort((a, b) => near(a) - near(b))[0];
    }
    return undefined;
  }
}

const tint = (place) => PALETTE[place % PALETTE.length];

/** Return an element of a drawing; strings become text. */
function svg(tag, properties, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) if (value !== null) made.setAttribute(name, String(value));
  return fill(made, children);
}
