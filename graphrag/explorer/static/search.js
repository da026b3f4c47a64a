"use strict";
// Search: names at once, and what the server finds a moment later.

const LISTED = 8;

class Search {
  constructor(app) {
    this.app = app;
    this.at = -1;
    this.options = [];
    const query = $("query");
    this.later = settled(350, (words) => this.ask(words));
    query.addEventListener("input", () => this.run(query.value));
    query.addEventListener("keydown", (event) => this.key(event));
    query.addEventListener("blur", () => setTimeout(() => ($("hits").hidden = true), 150));
    query.addEventListener("focus", () => ($("hits").hidden = !this.options.length));
  }

  /** Light up what a few words find. */
  run(text) {
    const rows = this.app.model.named(text);
    this.found = null;
    this.app.light(text.trim() ? rows : null);
    this.list(rows, []);
    if (text.trim().length > 1 && this.app.source.live) this.later(text.trim());
  }

  async ask(text) {
    const { app } = this;
    let found;
    try {
      found = await app.source.search(text, app.moment, app.known);
    } catch (error) {
      return toast.say(error.message, { error: true });
    }
    if ($("query").value.trim() !== text) return;
    const rows = app.model.named(text);
    const more = found.entities.map((id) => app.model.row.get(id)).filter((row) => row !== undefined);
    const ends = found.facts.flatMap((fact) => [fact.subject_id, fact.object_id]).map((id) => app.model.row.get(id));
    app.light([...new Set([...rows, ...more, ...ends.filter((row) => row !== undefined)])]);
    this.list([...new Set([...rows.slice(0, LISTED), ...more])], found.facts);
  }

  list(rows, facts) {
    const { model } = this.app;
    this.at = -1;
    this.options = [];
    const option = (run, ...children) => {
      const made = el("li", { role: "option", onmousedown: (event) => (event.preventDefault(), this.take(run)) }, ...children);
      this.options.push([made, run]);
      return made;
    };
    const entities = rows.slice(0, LISTED).map((row) =>
      option(() => this.app.choose(row), model.names[row], el("span", { class: "quiet" }, `  ${shown(model.types[model.nodes.type[row]])}`)),
    );
    const more = rows.length > LISTED && el("li", { class: "head" }, `and ${plural(rows.length - LISTED, "more", "more")}, lit`);
    const said = facts.map((fact) =>
      option(() => this.app.select(fact.subject_id, fact.id), fact.fact, el("span", { class: "quiet" }, `  ${fact.lifetime}`)),
    );
    replace($("hits"), ...entities, more, said.length && el("li", { class: "head" }, "facts"), ...said);
    if (!this.options.length && $("query").value.trim()) replace($("hits"), el("li", { class: "head" }, "nothing has this name"));
    $("hits").hidden = !$("query").value.trim();
  }

  key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const count = this.options.length;
      this.at = count ? (this.at + (event.key === "ArrowDown" ? 1 : count - 1)) % count : -1;
      this.options.forEach(([made], at) => made.setAttribute("aria-selected", at === this.at));
      this.options[this.at]?.[0].scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && this.options.length) {
      this.take(this.options[Math.max(0, this.at)][1]);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      this.clear();
      $("query").blur();
    }
  }

  take(run) {
    $("hits").hidden = true;
    $("query").blur();
    run();
  }

  clear() {
    $("query").value = "";
    $("hits").hidden = true;
    this.options = [];
    this.app.light(null);
  }
}
