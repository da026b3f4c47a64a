"use strict";
// The page: what is looked at, when, and as known when; keys, address and theme.

class App {
  constructor() {
    this.source = sourceOf();
    this.selected = null;
    this.moment = undefined;
    this.known = null;
    this.picking = null;
    this.way = null;
    this.scene = new Scene($("stage"), { pick: (row) => this.choose(row), leave: () => this.leave() });
    this.panel = new Panel(this);
    this.search = new Search(this);
    this.curator = new Curator(this);
    this.review = new Review(this);
    this.flow = new Flow(this);
    this.time = new Time({ moment: (moment) => this.look(moment), known: (iso) => this.know(iso) });
    this.changed = settled(400, () => this.load({ keep: true }));
    this.address = settled(250, () => this.writeAddress());
    this.follow = settled(120, () => this.panel.render());
    $("path").addEventListener("click", () => this.startPath());
    $("through").addEventListener("click", () => this.flow.toggle());
    $("review").addEventListener("click", () => this.review.start());
    $("history").addEventListener("click", () => this.review.history());
    $("help").addEventListener("click", () => this.review.help());
    $("theme").addEventListener("click", () => this.turn());
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.readAddress());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    if (kept.get("theme")) document.documentElement.dataset.theme = kept.get("theme");
    this.scene.colours();
  }

  /** Read the graph and draw it; what is looked at stays. */
  async load({ keep = false } = {}) {
    let atlas;
    try {
      performance.mark("asked");
      atlas = await this.source.atlas(this.known);
      performance.mark("answered");
    } catch (error) {
      return this.say(error.message);
    }
    const before = this.model;
    this.model = new Model(atlas);
    if (before) {
      this.model.domain = before.domain;
      const off = (codes, names, now) => new Set([...codes].map((code) => now.indexOf(names[code])).filter((code) => code >= 0));
      this.model.offTypes = off(before.offTypes, before.types, this.model.types);
      this.model.offRelations = off(before.offRelations, before.relations, this.model.relations);
    }
    if (this.moment === undefined) this.moment = seconds(atlas.at) ?? this.model.now;
    this.model.look(this.moment);
    if (this.gathered) this.leave();
    this.scene.hits = this.scene.lit = null;
    this.scene.selected = null;
    this.scene.trace(0, null);
    this.scene.draw(this.model);
    this.time.take(this.model, this.moment);
    this.time.count();
    this.legend();
    this.title(atlas);
    this.say(this.model.count ? "" : "Nothing to draw yet: no fact is known.");
    $("knowing").hidden = $("history").hidden = $("through").hidden = !this.source.live;
    $("review").hidden = !this.source.writes;
    this.time.showKnown(this.known);
    if (this.selected !== null) this.select(this.selected, null, { move: false });
    this.flow.renew();
    if ($("query").value && keep) this.search.run($("query").value);
    document.body.dataset.ready = String(Number(document.body.dataset.ready ?? 0) + 1);
    performance.mark("drawn");
  }

  title(atlas) {
    const { model } = this;
    $("group").textContent = shown(model.group);
    const known = this.source.live || !atlas.known_at ? "" : `, as known on ${atlas.known_at.slice(0, 10)}`;
    const left = atlas.left_out ? `, ${atlas.left_out.toLocaleString("en")} left out` : "";
    $("counts").textContent = `${plural(model.count, "entity", "entities")}, ${plural(model.size, "fact")}${left}${known}`;
    document.title = `${shown(model.group)} · Explorer`;
  }

  say(text) {
    $("notice").textContent = shown(text);
    $("notice").hidden = !text;
  }

  // -- what is looked at ----------------------------------------------------------------------

  /** Look at a moment of world time, null for all. */
  look(moment) {
    this.moment = moment;
    this.model.look(moment);
    if (this.way) this.findPath();
    else if (this.selected !== null) this.scene.select(this.model.row.get(this.selected) ?? null);
    this.scene.refresh();
    this.time.count();
    this.flow.mark();
    this.follow();
    this.address();
  }

  /** Look at what was known at a moment of system time, null for now. */
  know(iso) {
    if (iso === this.known) return;
    this.known = iso;
    this.address();
    return this.load({ keep: true });
  }

  /** Take an entity that was clicked or found: as an end of a path, or to show it. */
  choose(row) {
    if (this.picking) {
      this.picking.push(row);
      this.scene.ends = [...this.picking];
      if (this.picking.length < 2) this.say(`From ${this.model.names[row]} to … pick the other one`);
      else this.endPath();
      return this.scene.refresh();
    }
    this.select(this.model.nodes.id[row]);
  }

  select(id, fact = null, { move = true } = {}) {
    this.scatter();
    this.selected = id;
    this.way = null;
    this.scene.trace(0, null);
    this.scene.ends = [];
    const row = this.model.row.get(id) ?? null;
    this.scene.select(row);
    this.scene.refresh();
    this.panel.show(id, fact);
    if (row !== null && move) this.scene.near(row);
    this.address();
  }

  /** Let go of one thing: the path, the selection, what is lit. */
  leave() {
    this.scatter();
    if (this.picking) this.picking = null;
    this.way = null;
    this.selected = null;
    this.scene.ends = [];
    this.scene.trace(0, null);
    this.scene.select(null);
    this.panel.hide();
    this.say("");
    $("path").classList.remove("on");
    this.scene.refresh();
    this.address();
  }

  light(rows) {
    if (rows && (this.selected !== null || this.gathered)) this.leave();
    this.scene.hits = rows && new Set(rows);
    this.scene.refresh();
    this.address();
  }

  /** Select several entities: light them up and list them by id and name. */
  gather(title, when, members) {
    this.leave();
    const rows = members.map(([id]) => this.model.row.get(id)).filter((row) => row !== undefined);
    this.light(rows);
    this.gathered = true;
    this.panel.list(title, when, members);
  }

  /** Let go of several entities. */
  scatter() {
    if (!this.gathered) return;
    this.gathered = false;
    this.scene.hits = null;
    this.flow.release();
  }

  /** Return the id of whoever bears a name, or the name, for the server to know. */
  idOf(name) {
    const key = folded(name);
    const found = this.model.keys.flatMap((one, row) => (one === key ? [this.model.nodes.id[row]] : []));
    return found.length === 1 ? found[0] : name;
  }

  // -- paths ----------------------------------------------------------------------------------

  startPath(id = null) {
    const row = id === null ? undefined : this.model.row.get(id);
    if (this.picking) return this.leave();
    this.leave();
    this.picking = [];
    $("path").classList.add("on");
    this.say("Path: pick an entity, or search for one");
    if (row !== undefined) this.choose(row);
  }

  endPath() {
    const [from, to] = this.picking;
    this.picking = null;
    $("path").classList.remove("on");
    this.say("");
    this.way = [from, to];
    this.scene.hits = null;
    this.findPath();
    this.address();
    this.scene.go([...(this.scene.way?.rows ?? this.way)]);
  }

  findPath() {
    const [from, to] = this.way;
    const facts = this.model.path(from, to);
    this.scene.select(null);
    this.scene.trace(from, facts ?? []);
    this.scene.ends = [from, to];
    this.panel.path(from, to, facts);
    this.scene.refresh();
  }

  // -- filters --------------------------------------------------------------------------------

  legend() {
    const { model, scene } = this;
    const counted = (codes, names) => names.map((name, code) => [name, code, codes.filter((one) => one === code).length]);
    const row = (name, count, run, colour) => {
      const dot = el("span", { class: "dot" });
      if (colour) dot.style.background = colour;
      return el("button", { class: "row", type: "button", title: name, onclick: run }, dot, el("span", {}, words(name).split(": ")[0]), el("span", { class: "quiet" }, count.toLocaleString("en")));
    };
    const filter = (set, codes, names) => counted(codes, names).slice(0, 30).map(([name, code, count]) => {
      const made = row(name, count, () => {
        set.has(code) ? set.delete(code) : set.add(code);
        made.classList.toggle("off", set.has(code));
        made.setAttribute("aria-pressed", String(!set.has(code)));
        this.look(this.moment);
        this.time.draw();
      });
      made.classList.toggle("off", set.has(code));
      made.dataset.name = name;
      return made;
    });
    const members = (place) => [...model.nodes.community.keys()].filter((at) => model.nodes.community[at] === place);
    const communities = model.communities.slice(0, 16).filter((one) => one.members > 1).map((one, place) =>
      row(one.name, one.members, () => scene.go(members(place)), PALETTE[place % PALETTE.length]));
    const part = (title, open, rows) => el("details", { open }, el("summary", {}, title), ...rows);
    replace($("legend"),
      part("Communities", true, communities),
      part("Types", true, filter(model.offTypes, model.nodes.type, model.types)),
      part("Relations", false, filter(model.offRelations, model.facts.relation, model.relations)));
  }

  // -- address, theme, keys -------------------------------------------------------------------

  writeAddress() {
    const parts = new URLSearchParams();
    if (this.selected !== null) parts.set("e", this.selected);
    if (this.moment === null) parts.set("t", "all");
    else if (Math.abs(this.moment - this.model.now) > 60) parts.set("t", day(this.moment));
    if (this.known) parts.set("k", this.known);
    if (this.way) parts.set("path", this.way.map((row) => this.model.nodes.id[row]).join("~"));
    this.written = parts.size ? `#${parts}` : "";
    try {
      history.replaceState(null, "", this.written || location.pathname + location.search);
    } catch {
      this.written = location.hash; // a frame has no address of its own
    }
  }

  /** Go where the address says. */
  async readAddress() {
    if (this.written !== undefined && location.hash === this.written) return;
    const parts = new URLSearchParams(location.hash.slice(1));
    const time = parts.get("t");
    if (time === "all") this.moment = null;
    else if (time && isMoment(time)) this.moment = seconds(time);
    const known = this.source.live && isMoment(parts.get("k")) ? parts.get("k") : null;
    if (!this.model || known !== this.known) {
      this.known = known;
      await this.load();
    } else {
      this.time.seek(this.moment);
    }
    if (!this.model) return;
    const way = parts.get("path")?.split("~").map((id) => this.model.row.get(id));
    if (way?.length === 2 && !way.includes(undefined)) {
      this.picking = way;
      this.endPath();
    } else if (parts.get("e")) this.select(parts.get("e"));
    const odd = ["t", "k"].filter((key) => parts.get(key) && parts.get(key) !== "all" && !isMoment(parts.get(key)));
    if (odd.length) this.say(`The address asks for ${odd.map((key) => parts.get(key)).join(" and ")}, which is no date: this is now.`);
  }

  turn() {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    kept.set("theme", document.documentElement.dataset.theme);
    this.repaint();
  }

  repaint() {
    this.scene.colours();
    this.scene.refresh();
    this.time.draw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.model || $("sheet").open) return;
    const typing = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
    if (typing) return;
    const far = event.shiftKey ? 50 : 5;
    const runs = {
      "/": () => ($("query").focus(), $("query").select()),
      "?": () => this.review.help(),
      ArrowLeft: () => this.time.step(-far),
      ArrowRight: () => this.time.step(far),
      Home: () => this.time.seek(this.model.domain[0]),
      End: () => this.time.seek(this.model.now),
      " ": () => this.time.toggle(),
      Escape: () => (this.search.clear(), this.leave()),
      p: () => this.startPath(),
      f: () => this.scene.home(),
      d: () => this.turn(),
      c: () => this.source.live && this.flow.toggle(),
      r: () => this.source.writes && this.review.start(),
      h: () => this.source.live && this.review.history(),
      u: () => this.curator.last && this.curator.undo(this.curator.last, "undone"),
    };
    if (!runs[event.key] || (event.key === " " && event.target.matches("button, input"))) return;
    event.preventDefault();
    runs[event.key]();
  }
}

const app = new App();
app.readAddress();
