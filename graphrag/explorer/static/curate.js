"use strict";
// Changes by hand. Each asks why, says what it did, and can be taken back at once.

class Curator {
  constructor(app) {
    this.app = app;
  }

  /** Write, then say what was done with a button that undoes it. */
  async act(verb, given, said, { fact, after } = {}) {
    const { source } = this.app;
    try {
      const done = await source.write(verb, given);
      const event = fact || done.fact || done.decided ? await this.event(fact ?? (done.fact ?? done.decided).id) : (done.event ?? done);
      this.say(said, event);
      this.app.changed();
      after?.(done);
      return { done, event };
    } catch (error) {
      toast.say(error.message, { error: true });
      return null;
    }
  }

  /** Return the last event that changed a fact. */
  async event(fact) {
    const { events } = await this.app.source.ask("log", { fact, limit: 1 });
    return events[0];
  }

  say(said, event) {
    this.last = event;
    toast.say(said, event && { action: "Undo", run: () => this.undo(event, "undone at once") });
  }

  /** Take an event back; what takes back can be taken back as well. */
  async undo(event, reason) {
    try {
      const undone = await this.app.source.write("revert", { event: event.seq, reason });
      this.say(`Undone: ${event.kind} (event ${event.seq})`, undone);
      this.app.changed();
      return undone;
    } catch (error) {
      toast.say(error.message, { error: true });
      return null;
    }
  }

  /** Return a small form that asks for some things and for the reason. */
  form(fields, label, run, close) {
    const inputs = fields.map(([key, title, given = "", type = "text"]) => [key, title, el("input", { type, value: given, name: key, maxLength: 900, autocomplete: "off" })]);
    const reason = el("input", { type: "text", name: "reason", placeholder: "why, for the log", required: true, maxLength: 900, autocomplete: "off" });
    const form = el("form", {
      class: "ask",
      onsubmit: async (event) => {
        event.preventDefault();
        const given = Object.fromEntries(inputs.map(([key, , input]) => [key, input.value.trim()]));
        if (await run({ ...given, reason: reason.value.trim() })) close();
      },
      onkeydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      },
    },
      inputs.map(([, title, input]) => el("label", {}, title, input)),
      el("label", {}, "reason", reason),
      el("div", { class: "ends" }, el("button", { type: "button", onclick: () => close() }, "Cancel"), el("button", { class: "main" }, label)));
    setTimeout(() => (inputs[0]?.[2] ?? reason).select());
    return form;
  }

  /** Put a form below an element, in place of one that is there. */
  below(element, ...given) {
    this.open?.remove();
    const made = this.form(...given, () => made.remove());
    this.open = made;
    element.after(made);
  }

  /** Return the buttons of an entity. */
  actions(story, name) {
    const merge = el("button", { type: "button", onclick: () => this.askMerge(merge, story, name) }, "Merge …");
    const split = el("button", { type: "button", onclick: () => this.askSplit(split, story, name) }, "Split …");
    const rename = el("button", { type: "button", onclick: () => this.askRename(rename, story, name) }, "Rename …");
    return [merge, split, rename];
  }

  askRename(button, story, name) {
    this.below(button.parentElement, [["name", `what to call it; ${name} becomes an alias`, name]], "Rename", async ({ name: other, reason }) => {
      return this.act("rename", { entity: story.id, name: other, reason }, `Renamed ${name} to ${other}`);
    });
  }

  askMerge(button, story, name) {
    this.below(button.parentElement, [["other", `the entity that is ${name}, too (a name)`]], "Merge", async ({ other, reason }) => {
      const given = { keep: story.id, other: this.app.idOf(other), reason };
      return this.act("merge", given, `Merged ${other} into ${name}`);
    });
  }

  /** Let facts be ticked that are about somebody else. */
  askSplit(button, story, name) {
    const boxes = [...this.app.panel.box.querySelectorAll(".fact")].filter((one) => !one.classList.contains("never"));
    const ticks = boxes.map((box) => [box.dataset.fact, el("input", { type: "checkbox", "aria-label": "move this fact" })]);
    ticks.forEach(([, tick], at) => boxes[at].prepend(tick));
    this.below(button.parentElement, [["name", "tick its facts below; name of the other one", name]], "Split", async ({ name: other, reason }) => {
      const facts = ticks.filter(([, tick]) => tick.checked).map(([id]) => id);
      if (!facts.length) return void toast.say("tick the facts that are about the other one", { error: true });
      return this.act("split", { entity: story.id, name: other, facts, reason }, `Split ${other} off ${name}`);
    });
    const { open } = this;
    new MutationObserver((_, watcher) => {
      if (open.isConnected) return;
      ticks.forEach(([, tick]) => tick.remove());
      watcher.disconnect();
    }).observe(this.app.panel.box, { childList: true, subtree: true });
  }

  /** Return the buttons of a fact. */
  factActions(fact, box) {
    const button = (label, run, kind) => el("button", { type: "button", class: kind, onclick: () => run() }, label);
    const below = (...given) => this.below(box.lastElementChild, ...given);
    return [
      button("Correct …", () =>
        below(
          [["object", "object", fact.object[1]], ["valid_at", "since (unknown for none)", fact.start === null ? "" : day(fact.start)], ["invalid_at", "until (unknown if it holds)", fact.end === null ? "" : day(fact.end)]],
          "Correct",
          ({ reason, ...given }) => this.act("correct", { fact: fact.id, action: "change", reason, ...this.different(fact, given) }, "Corrected"),
        )),
      fact.end === null && button("End …", () =>
        below([["invalid_at", "it held until", day(this.app.moment ?? this.app.model.now)]], "End", (given) =>
          this.act("correct", { fact: fact.id, action: "end", ...given }, "Ended", { fact: fact.id }))),
      button("Never true …", () =>
        below([], "Retract", (given) => this.act("correct", { fact: fact.id, action: "retract", ...given }, "Retracted", { fact: fact.id })), "bad"),
    ];
  }

  /** Return what a form says otherwise than the fact does. */
  different(fact, { object, valid_at, invalid_at }) {
    const given = {};
    if (object && object !== fact.object[1]) given.object = object;
    if (valid_at !== (fact.start === null ? "" : day(fact.start))) given.valid_at = valid_at || "unknown";
    if (invalid_at !== (fact.end === null ? "" : day(fact.end))) given.invalid_at = invalid_at || "unknown";
    return given;
  }
}
