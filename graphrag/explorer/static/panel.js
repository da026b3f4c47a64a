"use strict";
// What is known of one entity: past and current facts, each with the words that state it.

const LISTED_MEMBERS = 200;

class Panel {
  constructor(app) {
    this.app = app;
    this.box = $("panel");
    this.open = new Set();
  }

  hide() {
    this.story = null;
    this.box.hidden = true;
  }

  /** Show an entity; a fact of it may be opened at once. */
  async show(id, fact = null) {
    const { app } = this;
    this.open = new Set(fact ? [fact] : []);
    if (this.id !== id) this.box.scrollTop = 0;
    this.id = id;
    this.box.hidden = false;
    const row = app.model.row.get(id);
    if (this.story?.id !== id) replace(this.box, this.head(row === undefined ? "" : app.model.names[row], ""), el("p", { class: "quiet" }, "reading …"));
    try {
      const story = await app.source.story(id, app.known);
      if (this.id !== id || app.selected !== id) return;
      this.story = { ...story, id };
      this.render();
    } catch (error) {
      replace(this.box, this.head("", ""), el("p", { class: "error" }, error.message));
    }
  }

  head(name, type) {
    const close = el("button", { class: "close", type: "button", "aria-label": "Close", onclick: () => this.app.leave() }, "×");
    return el("header", {}, el("h2", {}, name, type && el("span", { class: "quiet small" }, `  ${type}`)), close);
  }

  /** Write what is known, by the moment that is looked at. */
  render() {
    if (!this.story) return;
    const { app, story } = this;
    const row = app.model.row.get(story.id);
    const moment = app.moment ?? app.model.now;
    const [name, type] = row === undefined ? [story.id, ""] : [app.model.names[row], app.model.types[app.model.nodes.type[row]]];
    const groups = { holds: [], to_come: [], past: [], never: [] };
    for (const fact of story.facts) groups[standing(fact, moment)].push(fact);
    const axis = axisOf(story.facts, moment, app.model.domain);
    const list = (title, kind) =>
      groups[kind].length > 0 && [
        el("h3", {}, title, el("span", {}, String(groups[kind].length))),
        ...groups[kind].map((fact) => this.fact(fact, kind, axis, moment)),
      ];
    groups.past.sort((a, b) => (b.end ?? 0) - (a.end ?? 0));
    const given = Object.entries(story.attributes).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
    const community = row !== undefined && app.model.communities[app.model.nodes.community[row]].name;
    replace(
      this.box,
      this.head(name, type),
      story.aliases.length > 0 && el("div", { class: "quiet small" }, `also ${story.aliases.join(", ")}`),
      community && el("div", { class: "quiet small" }, `in ${community.split(": ")[0]}`),
      story.summary && el("p", { class: "summary", title: shown(story.summary) }, story.summary),
      given.length > 0 && el("p", { class: "small" }, given.map(([key, value]) => `${words(key)}: ${value}`).join(" · ")),
      el("div", { class: "actions" },
        el("button", { type: "button", onclick: () => app.startPath(story.id) }, "Path from here"),
        row !== undefined && el("button", { type: "button", onclick: () => app.scene.go([...(app.scene.lit ?? [row])]) }, "Zoom to it"),
        app.source.writes && app.curator.actions(story, name)),
      list(app.moment === null ? "Holds now" : `Holds on ${day(moment)}`, "holds"),
      list("To come", "to_come"),
      list("Past", "past"),
      list("Never true", "never"),
      !story.facts.length && el("p", { class: "quiet" }, "No fact is about it."),
      story.leftOut > 0 && el("p", { class: "quiet" }, `${plural(story.leftOut, "earlier fact")} left out`),
    );
  }

  fact(fact, kind, axis, moment) {
    const box = el("div", { class: `fact ${kind}` });
    box.dataset.fact = fact.id;
    const toggle = () => {
      this.open.has(fact.id) ? this.open.delete(fact.id) : this.open.add(fact.id);
      box.replaceWith(this.fact(fact, kind, axis, moment));
    };
    const out = fact.subject[0] === this.story.id;
    const [otherId, other] = out ? fact.object : fact.subject;
    const says = out ? [words(fact.relation), " ", el("strong", {}, other)] : [el("strong", {}, other), " ", words(fact.relation), " ", fact.object[1]];
    fill(box, [
      el("button", { class: "say", type: "button", onclick: toggle, "aria-expanded": String(this.open.has(fact.id)) }, ...says),
      el("div", { class: "when" }, lifeOf(fact, axis, moment), fact.lifetime),
    ]);
    if (!this.open.has(fact.id)) return box;
    const { app } = this;
    const start = fact.start !== null && fact.start !== moment;
    fill(box, [
      el("div", { class: "more" },
        fact.quotes.length ? fact.quotes.map(quoted) : el("p", { class: "quiet small" }, `“${fact.text}”`),
        fact.tables.length > 0 && el("div", { class: "cite" }, `stated in ${fact.tables.join(", ")}`),
        fact.why && el("div", { class: "cite" }, `ended: ${fact.why}`),
        fact.confidence < 1 && el("div", { class: "cite" }, `confidence ${fact.confidence.toFixed(2)}`)),
      el("div", { class: "actions" },
        app.model.row.has(otherId) && el("button", { type: "button", onclick: () => app.select(otherId) }, `To ${other}`),
        start && el("button", { type: "button", onclick: () => app.time.seek(fact.start) }, `To ${day(fact.start)}`),
        app.source.writes && kind !== "never" && app.curator.factActions(fact, box)),
    ]);
    return box;
  }

  /** Show several entities, each a button. */
  list(title, when, members) {
    const { app } = this;
    this.story = null;
    this.box.hidden = false;
    this.box.scrollTop = 0;
    const listed = members.slice(0, LISTED_MEMBERS);
    replace(
      this.box,
      this.head(title, ""),
      el("p", { class: "quiet" }, `${plural(members.length, "member")}, ${when}`),
      listed.map(([id, name]) => el("div", { class: "fact" }, el("button", { class: "say", type: "button", onclick: () => app.select(id) }, name))),
      members.length > listed.length && el("p", { class: "quiet" }, `and ${plural(members.length - listed.length, "more", "more")}, lit`),
    );
  }

  /** Show a chain of facts between two entities, or that there is none. */
  path(from, to, facts) {
    const { app } = this;
    this.story = null;
    this.box.hidden = false;
    const { model } = app;
    const when = app.moment === null ? "of all times" : `that hold on ${day(app.moment)}`;
    replace(
      this.box,
      this.head(`${model.names[from]} — ${model.names[to]}`, ""),
      facts
        ? el("p", { class: "quiet" }, `${plural(facts.length, "fact")} ${when}`)
        : el("p", {}, `No chain of facts ${when} links the two.`),
      (facts ?? []).map((fact) =>
        el("div", { class: "fact" },
          el("button", { class: "say", type: "button", onclick: () => app.select(model.nodes.id[model.facts.subject[fact]], model.facts.id[fact]) }, model.said(fact)),
          el("div", { class: "when" }, lifetime(model.facts.start[fact], model.facts.end[fact])))),
    );
  }
}

/** Return the words that state a fact, and where they stand. */
function quoted([title, date, quote]) {
  return [el("blockquote", {}, quote), el("div", { class: "cite" }, `${title}, ${date.slice(0, 10)}`)];
}

/** Return how a fact stands at a moment. */
function standing(fact, moment) {
  if (fact.never) return "never";
  if (fact.start !== null && moment < fact.start) return "to_come";
  return fact.end !== null && fact.end <= moment ? "past" : "holds";
}

/** Return the stretch of time that the bars of one entity share. */
function axisOf(facts, moment, [first, last]) {
  const known = facts.flatMap((fact) => [fact.start, fact.end]).filter((one) => one !== null && one >= first - 1e9 && one <= last + 1e9);
  const [from, to] = [Math.min(...known, moment), Math.max(...known, moment)];
  const room = Math.max(86400, (to - from) / 20);
  return [from - room, to + room];
}

/** Return the lifetime of a fact as a bar, with the moment that is looked at. */
function lifeOf(fact, [first, last], moment) {
  const share = (one) => Math.min(100, Math.max(0, ((one - first) / (last - first)) * 100));
  const bar = el("i");
  const left = fact.start === null ? 0 : share(fact.start);
  const right = fact.end === null ? 100 : share(fact.end);
  bar.style.left = `${left}%`;
  bar.style.width = `${Math.max(2, right - left)}%`;
  const here = el("b");
  here.style.left = `${share(moment)}%`;
  return el("span", { class: "life" }, bar, here);
}
