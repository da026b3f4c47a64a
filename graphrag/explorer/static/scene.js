"use strict";
// The drawing. Sigma draws; what is lit, faint or hidden is decided here, by numbers of nodes.

// Okabe and Ito's colours, which the colour-blind can tell apart, and some more of that kind.
const PALETTE = [
  "#3b7dd8", "#e69f00", "#1a9e77", "#cc79a7", "#d55e00", "#56b4e9", "#8c6bb1", "#b8a600",
  "#8c564b", "#4f9d3a", "#c2447a", "#5b6bbf", "#d98c5f", "#2e9ca6", "#a3785f", "#7f7f7f",
];
const LABELLED = 14; // communities whose name stands over them
const FEW = 1500; // pairs up to which lines are thick, and named as well where there is room
const MANY = 5000; // pairs from which on lines come after dots
const SAID = 60; // pairs up to which all lines are named

class Scene {
  constructor(stage, on) {
    this.stage = stage;
    this.on = on;
    this.hits = null;
    this.lit = null;
    this.way = null;
    this.ends = [];
    this.selected = null;
    this.hovered = null;
    this.colours();
  }

  /** Read the colours of the theme. */
  colours() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(`--${name}`).trim();
    this.theme = Object.fromEntries(
      ["ground", "raised", "ink", "quiet", "line", "edge", "faint", "lit", "accent"].map((name) => [name, read(name)]),
    );
    this.tints = new Map();
  }

  /** Draw a model; the camera stays where it is if there was another before. */
  draw(model) {
    this.model = model;
    // Few are drawn larger, and named all: there is room.
    this.scale = 2.6 / (1 + (model.count / 250) ** 0.42);
    if (this.renderer) {
      this.renderer.setGraph(this.graph(true)); // first: a setting is drawn at once
      this.renderer.setSetting("labelRenderedSizeThreshold", this.threshold());
      return;
    }
    // Of a large graph the dots come first, and the lines when they have been seen.
    const many = model.pairs.length > MANY;
    this.renderer = new Sigma(this.graph(!many), this.stage, {
      nodeReducer: (key) => this.node(Number(key)),
      edgeReducer: (key) => this.edge(Number(key)),
      defaultDrawNodeLabel: (context, data, settings) => this.label(context, data, settings),
      defaultDrawNodeHover: (context, data, settings) => this.hover(context, data, settings),
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      labelDensity: model.count < 200 ? 1.2 : 0.6,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: this.threshold(),
      labelColor: { attribute: "ink" },
      edgeLabelSize: 10.5,
      edgeLabelFont: "system-ui, sans-serif",
      edgeLabelColor: { attribute: "ink" },
      renderEdgeLabels: true,
      defaultEdgeType: "line",
      hideEdgesOnMove: model.pairs.length > 15000,
      zIndex: true,
      stagePadding: 46,
      minCameraRatio: 0.01,
      maxCameraRatio: 3,
      allowInvalidContainer: true,
    });
    const renderer = this.renderer;
    // Kept for what is drawn later: nothing moves because somebody else came or went.
    renderer.setCustomBBox(this.box());
    renderer.on("clickNode", ({ node }) => this.on.pick(Number(node)));
    renderer.on("clickStage", () => this.on.leave());
    renderer.on("enterNode", ({ node }) => this.point(Number(node)));
    renderer.on("leaveNode", () => this.point(null));
    renderer.on("afterRender", () => this.titles());
    renderer.scheduleRender(); // the first time nobody listened yet
    if (many) requestAnimationFrame(() => setTimeout(() => this.line(model)));
  }

  /** Return what sigma draws; how it looks is asked for by number. */
  graph(lines) {
    const { model } = this;
    const graph = new graphology.UndirectedGraph();
    for (let row = 0; row < model.count; row++) {
      graph.addNode(String(row), { x: model.nodes.x[row], y: -model.nodes.y[row] });
    }
    if (!lines) return graph;
    model.pairs.forEach(([one, other], pair) => graph.addEdgeWithKey(String(pair), String(one), String(other)));
    return graph;
  }

  /** Draw the lines as well, unless another graph is looked at by now. */
  line(model) {
    performance.mark("dots");
    if (this.model === model) this.renderer.setGraph(this.graph(true));
    performance.mark("lines");
  }

  /** Return the rectangle that is seen whole, none so narrow that sigma cannot fit it. */
  box() {
    const { x, y } = this.model.nodes;
    const range = (of, sign) => [Math.min(...of.map((one) => sign * one)), Math.max(...of.map((one) => sign * one))];
    const [xs, ys] = [range(x, 1), range(y, -1)];
    const widen = ([low, high], least) => {
      const more = Math.max(0, least - (high - low)) / 2;
      return [low - more, high + more];
    };
    const [wide, high] = [xs[1] - xs[0], ys[1] - ys[0]];
    return { x: widen(xs, Math.max(1, high)), y: widen(ys, Math.max(1, wide / 2)) };
  }

  /** Return the size from which nodes are named, if there is room. */
  threshold() {
    return this.model.count < 200 ? 0 : 5;
  }

  point(row) {
    this.hovered = row;
    this.stage.style.cursor = row === null ? "" : "pointer";
  }

  /** Draw again: what things look like is another, where they lie is not. */
  refresh() {
    this.renderer?.refresh({ skipIndexation: true });
  }

  /** Say who is selected, and light up what is around. */
  select(row) {
    this.selected = row;
    this.lit = null;
    if (row !== null) {
      this.lit = new Set([row]);
      for (const fact of this.model.at[row]) {
        if (this.model.holds(fact) && this.model.wanted(fact)) this.lit.add(this.model.across(fact, row));
      }
    }
  }

  /** Light up a chain of facts, or nothing. */
  trace(from, facts) {
    this.way = facts && { pairs: new Set(), rows: new Set([from]) };
    for (const fact of facts ?? []) {
      this.way.pairs.add(this.model.pairOf[fact]);
      this.way.rows.add(this.model.facts.subject[fact]).add(this.model.facts.object[fact]);
    }
  }

  colour(row) {
    const community = this.model.nodes.community[row];
    return PALETTE[community % PALETTE.length];
  }

  /** Return a colour mixed into the ground. */
  mixed(colour, share) {
    const key = `${colour}${share}`;
    if (!this.tints.has(key)) {
      const [one, other] = [colour, this.theme.ground].map((hex) =>
        [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16)),
      );
      const mix = one.map((part, at) => Math.round(part * share + other[at] * (1 - share)));
      this.tints.set(key, `#${mix.map((part) => part.toString(16).padStart(2, "0")).join("")}`);
    }
    return this.tints.get(key);
  }

  /** Return how a node looks. */
  node(row) {
    const { model } = this;
    const { x, y } = { x: model.nodes.x[row], y: -model.nodes.y[row] };
    const there = model.degree[row];
    if (model.offTypes.has(model.nodes.type[row])) return { x, y, hidden: true };
    const size = this.scale * (2 + 1.7 * Math.sqrt(Math.min(there || model.total[row] / 4, 60)));
    const on = this.way ? this.way.rows.has(row) : this.lit ? this.lit.has(row) : this.hits ? this.hits.has(row) : true;
    const chief = row === this.selected || this.ends.includes(row) || (this.hits?.has(row) ?? false);
    const colour = this.colour(row);
    return {
      x, y,
      ink: this.theme.ink,
      label: on ? model.names[row] : "",
      size: (there ? size : Math.min(size, 3)) * (chief ? 1.35 : 1),
      color: !on ? this.mixed(colour, 0.25) : chief && this.hits?.has(row) ? this.theme.lit : this.mixed(colour, there ? 1 : 0.3),
      forceLabel: (Boolean(this.way) && on) || chief,
      highlighted: row === this.selected || this.ends.includes(row),
      zIndex: chief ? 3 : on ? 2 : 0,
      faint: !there,
    };
  }

  /** Return how the line between two looks. */
  edge(pair) {
    const { model } = this;
    const strength = model.strength[pair];
    const [one, other] = model.pairs[pair];
    if (!strength) return { hidden: true };
    const near = this.selected !== null && (one === this.selected || other === this.selected);
    const on = this.way ? this.way.pairs.has(pair) : this.lit ? near : this.hits ? this.hits.has(one) && this.hits.has(other) : null;
    const own = model.nodes.community[one] === model.nodes.community[other];
    const base = own ? this.mixed(this.colour(one), model.pairs.length < FEW ? 0.5 : 0.34) : this.theme.edge;
    const few = model.pairs.length < 300 ? 2 : model.pairs.length < FEW ? 1.3 : 0.6;
    return {
      size: (on ? 1.8 : on === false ? few / 2 : few) * Math.min(3, Math.sqrt(strength)),
      color: on === false ? this.theme.faint : on ? (this.way ? this.theme.lit : this.mixed(this.colour(near && this.selected === one ? other : one), 0.8)) : base,
      zIndex: on ? 2 : own ? 1 : 0,
      ink: this.theme.quiet,
      label: (on ? this.way || (this.lit?.size ?? 99) < 40 : on === null && model.pairs.length < SAID) ? this.relations(pair) : "",
      forceLabel: Boolean(on),
    };
  }

  /** Return what the facts between two say, as long as there is room. */
  relations(pair) {
    const { model } = this;
    const [one] = model.pairs[pair];
    const said = new Set();
    for (const fact of model.at[one]) {
      if (model.pairOf[fact] === pair && model.holds(fact) && model.wanted(fact)) {
        said.add(shown(words(model.relations[model.facts.relation[fact]])));
      }
    }
    const [first, ...more] = said;
    return more.length ? `${first} +${more.length}` : first ?? "";
  }

  /** Write a name beside its node, with a rim so that lines do not cross it out. */
  label(context, data, settings) {
    if (!data.label || (!data.forceLabel && this.model.count > 500 && this.far())) return;
    const big = Math.min(16, 10.5 + data.size / 4);
    context.font = `${data.forceLabel ? "600" : "500"} ${big}px ${settings.labelFont}`;
    const text = data.label.length > 34 ? `${data.label.slice(0, 33)}…` : data.label;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.theme.ground;
    context.strokeText(text, data.x + data.size + 3, data.y + big / 3);
    context.fillStyle = data.faint ? this.theme.quiet : this.theme.ink;
    context.fillText(text, data.x + data.size + 3, data.y + big / 3);
  }

  /** Ring the node that is pointed at, and write its name whole. */
  hover(context, data, settings) {
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = this.theme.accent;
    context.stroke();
    if (!data.label) return;
    const big = Math.max(13, Math.min(16, 10.5 + data.size / 4));
    context.font = `600 ${big}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width;
    context.beginPath();
    context.roundRect(data.x + data.size - 1, data.y - big + 1, width + 12, 2 * big - 2, 6);
    context.fillStyle = this.theme.raised;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = this.theme.line;
    context.stroke();
    context.fillStyle = this.theme.ink;
    context.fillText(data.label, data.x + data.size + 5, data.y + big / 3);
  }

  /** Tell whether one looks at the whole: communities are named then, and not everybody in them. */
  far() {
    return this.renderer?.getCamera().ratio >= 0.45 && !this.lit && !this.way && !this.hits;
  }

  /** Write the names of the largest communities over them, as long as one looks from afar. */
  titles() {
    const { model, renderer } = this;
    const context = renderer.getCanvases().labels.getContext("2d");
    if (model.count < 150 || !this.far()) return;
    const taken = [];
    context.textAlign = "center";
    context.lineWidth = 4;
    context.lineJoin = "round";
    for (const { name, x, y, members } of this.centres()) {
      if (taken.length >= LABELLED) break;
      const spot = renderer.graphToViewport({ x, y: -y });
      const size = Math.max(11.5, Math.min(17, 9 + Math.sqrt(members) / 3));
      context.font = `700 ${size}px system-ui, sans-serif`;
      const text = name.length > 26 ? `${name.slice(0, 25)}…` : name;
      const half = context.measureText(text).width / 2 + 4;
      if (taken.some(([left, top]) => Math.abs(left.x - spot.x) < left.half + half && Math.abs(top - spot.y) < size + 4)) continue;
      taken.push([{ x: spot.x, half }, spot.y]);
      context.strokeStyle = this.theme.ground;
      context.strokeText(text, spot.x, spot.y);
      context.fillStyle = this.theme.ink;
      context.fillText(text, spot.x, spot.y);
    }
    context.textAlign = "start";
  }

  /** Return the middle of each community, those of most members first. */
  centres() {
    const { model } = this;
    if (this.middle?.model === model) return this.middle.found;
    const found = model.communities.map((one) => ({ name: shown(one.name).split(":")[0], members: one.members, x: 0, y: 0 }));
    for (let row = 0; row < model.count; row++) {
      const one = found[model.nodes.community[row]];
      one.x += model.nodes.x[row] / one.members;
      one.y += model.nodes.y[row] / one.members;
    }
    this.middle = { model, found: found.filter((one) => one.members > 4) };
    return this.middle.found;
  }

  /** Move the camera to some nodes. */
  go(rows, ratio = 0) {
    if (!rows.length) return;
    const spots = rows.map((row) => this.renderer.getNodeDisplayData(String(row))).filter(Boolean);
    const xs = spots.map((one) => one.x);
    const ys = spots.map((one) => one.y);
    const wide = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    const camera = this.renderer.getCamera();
    const goal = ratio || Math.min(1, Math.max(0.12, wide * 1.5));
    // The middle is that of what the panel leaves free.
    const covered = $("panel").hidden ? 0 : $("panel").offsetWidth;
    const [zero, shifted] = [0, covered / 2].map((x) => this.renderer.viewportToFramedGraph({ x, y: 0 }).x);
    const aside = ((shifted - zero) * goal) / camera.ratio;
    camera.animate(
      { x: (Math.max(...xs) + Math.min(...xs)) / 2 + aside, y: (Math.max(...ys) + Math.min(...ys)) / 2, ratio: goal },
      { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 350 },
    );
  }

  /** Move the camera to the selected node, nearer if its neighbours are. */
  near(row) {
    const spot = this.renderer.getNodeDisplayData(String(row));
    const away = [...this.lit].map((other) => this.renderer.getNodeDisplayData(String(other)))
      .map((other) => Math.hypot(other.x - spot.x, other.y - spot.y)).sort((a, b) => a - b);
    const most = away[Math.floor(away.length * 0.8)] ?? 0.1;
    this.go([row], Math.min(this.renderer.getCamera().ratio, Math.max(0.08, most * 2.6)));
  }

  home() {
    this.renderer.getCamera().animatedReset({ duration: 300 });
  }
}
