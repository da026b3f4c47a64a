"use strict";
// What waits for a person, one after the other, by keys: two that may be one, and unsure facts.

const PAIRS = 60;

class Review {
  constructor(app) {
    this.app = app;
    this.sheet = $("sheet");
    this.done = 0;
    this.sheet.addEventListener("close", () => {
      toast.lay();
      this.card = null;
    });
    this.sheet.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show a dialog with a title, a body and perhaps a footer. */
  show(title, body, { footer = null, narrow = false, tools = [] } = {}) {
    this.sheet.classList.toggle("narrow", narrow);
    const close = el("button", { class: "close", type: "button", "aria-label": "Close", onclick: () => this.sheet.close() }, "×");
    this.body = el("div", { class: "body" }, body);
    this.footer = el("footer", {}, footer);
    this.footer.hidden = !footer;
    replace(this.sheet, el("header", {}, el("h2", {}, title), ...tools, close), this.body, this.footer);
    if (!this.sheet.open) this.sheet.showModal();
    toast.lay();
  }

  /** Open the queue: pairs first, then facts. */
  async start() {
    this.show("Review", el("p", { class: "quiet" }, "looking for what waits …"));
    const { source } = this.app;
    try {
      const [{ candidates }, { waiting }] = await Promise.all([source.ask("candidates", { limit: PAIRS }), source.ask("review", { limit: 200 })]);
      this.cards = [...candidates.map((pair) => ({ pair, swapped: false })), ...waiting.map((fact) => ({ fact }))];
    } catch (error) {
      return this.show("Review", el("p", { class: "error" }, error.message), { narrow: true });
    }
    this.at = 0;
    this.done = 0;
    this.total = this.cards.length;
    this.next(0);
  }

  /** Show the card that many further on. */
  next(steps) {
    if (!this.cards.length) {
      this.card = null;
      return this.show("Review", el("p", {}, this.done ? `Done: ${plural(this.done, "decision")}.` : "Nothing waits: no two entities look like one, and no fact is unsure."), { narrow: true });
    }
    this.at = (this.at + steps + this.cards.length) % this.cards.length;
    this.card = this.cards[this.at];
    const bar = el("i");
    bar.style.width = `${(this.done / Math.max(1, this.total)) * 100}%`;
    const left = el("span", { class: "quiet" }, `${this.cards.length} left`);
    const title = this.card.pair ? "Are these one?" : "Is this so?";
    this.show(title, [el("div", { class: "bar-of" }, bar), this.card.pair ? this.pair(this.card) : this.fact(this.card.fact)], { footer: this.buttons(), tools: [left] });
    this.sheet.focus();
  }

  pair({ pair, swapped }) {
    const sides = [this.side(pair.entity, !swapped), this.side(pair.other, swapped)];
    return [
      el("p", {}, el("span", { class: "badge" }, `${pair.why} alike, ${pair.score.toFixed(2)}`), el("span", { class: "quiet small" }, "   the framed one is kept and gets the names and facts of the other")),
      el("div", { class: "pair" }, ...sides),
    ];
  }

  side({ entity, facts, more }, kept) {
    return el("section", { class: kept ? "side kept" : "side" },
      el("h3", {}, entity.name, " ", kept && el("span", { class: "badge good" }, "kept")),
      el("div", { class: "quiet" }, entity.type),
      entity.aliases.length > 0 && el("div", { class: "quiet small" }, `also ${entity.aliases.join(", ")}`),
      Object.keys(entity.attributes).length > 0 && el("div", { class: "small" }, Object.entries(entity.attributes).map(([key, value]) => `${words(key)}: ${typeof value === "object" ? JSON.stringify(value) : value}`).join(" · ")),
      el("ul", {}, facts.map((fact) => el("li", {}, fact.fact, el("span", { class: "quiet" }, `  ${fact.lifetime}`),
        fact.sources.slice(0, 1).map((one) => [el("blockquote", {}, one.quote), el("div", { class: "cite" }, `${one.episode}, ${one.said_at.slice(0, 10)}`)])))),
      more > 0 && el("div", { class: "quiet small" }, `and ${plural(more, "more fact")}`));
  }

  fact(fact) {
    return el("div", {},
      el("h3", {}, fact.fact),
      el("p", { class: "quiet" }, `${fact.lifetime}; confidence ${fact.confidence.toFixed(2)}`),
      fact.sources.map((one) => quoted([one.episode, one.said_at, one.quote])),
      !fact.sources.length && el("blockquote", {}, fact.text));
  }

  buttons() {
    const button = (key, label, run, kind) => el("button", { type: "button", class: kind, onclick: () => run() }, el("kbd", {}, key), label);
    const pair = Boolean(this.card.pair);
    return [
      button("a", pair ? "Merge" : "Confirm", () => this.why(true), "main"),
      button("r", pair ? "Keep apart" : "Reject", () => this.why(false)),
      pair && button("s", "Swap", () => this.swap()),
      button("n", "Later", () => this.next(1)),
      button("u", "Undo", () => this.undo()),
    ];
  }

  swap() {
    this.card.swapped = !this.card.swapped;
    this.next(0);
  }

  /** Ask for the reason of a decision; Enter takes the one that is proposed. */
  why(accept) {
    const { card } = this;
    const proposed = card.pair ? (accept ? `same: ${card.pair.why} alike` : "two of one name") : accept ? "the text says so" : "not what the text says";
    const reason = el("input", { type: "text", value: proposed, "aria-label": "reason", required: true, maxLength: 900 });
    const form = el("form", {
      onsubmit: (event) => {
        event.preventDefault();
        this.decide(card, accept, reason.value.trim());
      },
    }, el("label", { class: "quiet" }, accept ? (card.pair ? "merge, because" : "confirm, because") : card.pair ? "two, because" : "reject, because"), reason, el("button", { class: "main" }, "Enter"));
    replace(this.footer, form);
    reason.focus();
    reason.select();
  }

  /** Decide, and go on at once; a decision that is refused comes back. */
  async decide(card, accept, reason) {
    this.cards.splice(this.cards.indexOf(card), 1);
    const gone = accept && card.pair ? this.follow(card) : [];
    this.done++;
    this.next(0);
    const { curator } = this.app;
    let result;
    if (card.pair) {
      const [keep, other] = ends(card);
      result = await curator.act(
        accept ? "merge" : "keep_apart",
        accept ? { keep: keep.entity.id, other: other.entity.id, reason } : { one: keep.entity.id, other: other.entity.id, reason },
        accept ? `Merged ${other.entity.name} into ${keep.entity.name}` : `Kept apart: ${keep.entity.name} and ${other.entity.name}`,
      );
    } else {
      result = await curator.act("review", { action: accept ? "confirm" : "reject", fact: card.fact.id, reason }, `${accept ? "Confirmed" : "Rejected"}: ${card.fact.fact}`);
    }
    if (result) return void (this.undoable = { card, gone, event: result.event });
    this.done--;
    this.cards.splice(this.at, 0, card, ...gone);
    if (this.sheet.open) this.next(0);
  }

  /** Take out the pairs that a merge makes one; others now speak of the one that is kept. */
  follow(card) {
    const [keep, other] = ends(card);
    const same = ({ pair }) => pair && [pair.entity, pair.other].every((one) => [keep.entity.id, other.entity.id].includes(one.entity.id));
    const gone = this.cards.filter(same);
    this.cards = this.cards.filter((one) => !same(one));
    return gone;
  }

  async undo() {
    if (!this.undoable) return toast.say("Nothing was decided yet");
    const { card, gone, event } = this.undoable;
    this.undoable = null;
    if (!(await this.app.curator.undo(event, "taken back in review"))) return;
    this.done = Math.max(0, this.done - 1);
    this.cards.splice(this.at, 0, card, ...gone);
    this.next(0);
  }

  key(event) {
    if (!this.card || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) {
      if (event.key !== "Escape") return;
      event.preventDefault();
      return this.next(0);
    }
    const runs = {
      a: () => this.why(true), m: () => this.why(true), r: () => this.why(false), n: () => this.next(1), ArrowRight: () => this.next(1),
      ArrowLeft: () => this.next(-1), u: () => this.undo(), s: () => this.card.pair && this.swap(),
    };
    if (!runs[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    runs[event.key]();
  }

  /** Show what was done last, each with its undoing. */
  async history() {
    this.card = null;
    this.show("History", el("p", { class: "quiet" }, "reading …"));
    let events;
    try {
      ({ events } = await this.app.source.ask("log", { limit: 100 }));
    } catch (error) {
      return this.show("History", el("p", { class: "error" }, error.message));
    }
    const { app } = this;
    const rows = events.reverse().map((event) => {
      const then = el("button", { class: "link", type: "button", title: "UTC; shows the graph as known then", onclick: () => (this.sheet.close(), app.know(event.at)) }, event.at.slice(0, 19).replace("T", " "));
      const undo = el("button", { type: "button", onclick: () => this.ask(event, undo) }, "Undo …");
      return el("tr", {}, el("td", { class: "quiet" }, String(event.seq)), el("td", {}, then), el("td", {}, event.actor), el("td", {}, el("strong", {}, words(event.kind)), `  ${event.did}`, event.note && el("div", { class: "quiet" }, event.note)),
        el("td", {}, app.source.writes && event.kind !== "denied" && undo));
    });
    this.show("History", el("table", { class: "log" }, el("tbody", {}, ...rows)));
  }

  /** Ask why an event of the list is undone. */
  ask(event, button) {
    const form = this.app.curator.form([], "Undo", async ({ reason }) => {
      const undone = await this.app.curator.undo(event, reason);
      if (undone) this.history();
      return undone;
    }, () => form.replaceWith(button));
    button.replaceWith(form);
  }

  help() {
    this.card = null;
    const rows = [
      ["/", "search; ↑ ↓ Enter choose, Esc clears"], ["← →", "earlier, later (Shift: ten times as far)"], ["Home End", "the first moment, now"],
      ["space", "play through time"], ["p", "path: pick two entities"], ["f", "fit everything"], ["d", "dark or light"],
      this.app.source.live && ["c", "communities through time: arrows and Enter choose one, Esc closes"],
      ["Esc", "close, unpick, unlight"], ["r", "review (where one may write)"], ["h", "history"], ["u", "undo the last change"],
    ].filter(Boolean);
    const review = [["a r", "merge or confirm; keep apart or reject"], ["s", "swap which one is kept"], ["n ← →", "later, back"], ["u", "undo the last decision"]];
    const table = (some) => el("table", { class: "keys" }, el("tbody", {}, some.map(([keys, what]) => el("tr", {}, el("td", {}, keys.split(" ").map((key) => [el("kbd", {}, key), " "])), el("td", {}, what)))));
    this.show("Keys", [table(rows), this.app.source.writes && [el("h3", {}, "In review"), table(review)]], { narrow: true });
  }
}

/** Return the entity of a pair that is kept, and the other one. */
const ends = ({ pair, swapped }) => (swapped ? [pair.other, pair.entity] : [pair.entity, pair.other]);

/** Ask for a token until one is given; say what is wrong with the one before. */
function askToken(wrong) {
  return new Promise((resolve) => {
    const input = el("input", { type: "password", required: true, autocomplete: "off", "aria-label": "token" });
    const form = el("form", { class: "ask", onsubmit: (event) => (event.preventDefault(), $("sheet").close(), resolve(input.value.trim())) },
      el("label", {}, wrong ? `This token ${wrong}. The token of this graph:` : "The token of this graph:", input),
      el("div", { class: "ends" }, el("button", { class: "main" }, "Open")));
    $("sheet").classList.add("narrow");
    replace($("sheet"), el("header", {}, el("h2", {}, "Token")), el("div", { class: "body" }, form));
    $("sheet").oncancel = (event) => event.preventDefault();
    $("sheet").onclose = () => ($("sheet").oncancel = null);
    if (!$("sheet").open) $("sheet").showModal();
    input.focus();
  });
}
