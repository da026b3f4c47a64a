"use strict";
// Where the page reads from: a server, or what stands in the page itself. Both answer alike.

class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

class Server {
  constructor() {
    this.base = location.pathname.replace(/\/(explore\/?)?$/, "");
    this.writes = false;
    this.live = true;
    this.token = kept.get("token", "sessionStorage");
    this.turn = Promise.resolve();
  }

  /** Ask a verb; a server that wants a token has one asked for. */
  async ask(verb, given) {
    const headers = { "Content-Type": "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    let answer;
    try {
      answer = await fetch(`${this.base}/v1/${verb}`, {
        method: "POST", headers, body: JSON.stringify(given), credentials: "omit",
      });
    } catch {
      throw new Refused(0, "the server does not answer");
    }
    const elsewhere = answer.status === 403 && verb === "atlas"; // a token of another group
    if (answer.status === 401 || elsewhere) {
      const said = elsewhere ? "is for another group" : "is not known here";
      this.token = await askToken(this.token && said);
      kept.set("token", this.token, "sessionStorage");
      return this.ask(verb, given);
    }
    const body = await answer.json();
    if (!answer.ok) throw new Refused(answer.status, body.detail ?? answer.statusText);
    return body;
  }

  /** Write, one after another: who is quick is not overtaken by herself. */
  write(verb, given) {
    const done = this.turn.then(() => this.ask(verb, given));
    this.turn = done.catch(() => null);
    return done;
  }

  async atlas(known) {
    const found = await this.ask("atlas", known ? { known_at: known } : {});
    this.writes = found.writes;
    return found;
  }

  async story(id, known) {
    const given = known ? { entity: id, limit: 500, known_at: known } : { entity: id, limit: 500 };
    const life = await this.ask("timeline", given);
    return {
      aliases: life.entity.aliases,
      summary: life.entity.summary,
      attributes: life.entity.attributes,
      leftOut: life.left_out,
      facts: life.stages.map(({ status, why, fact }) => ({
        id: fact.id,
        subject: [fact.subject_id, fact.subject],
        relation: fact.relation,
        object: [fact.object_id, fact.object],
        start: seconds(fact.valid_at),
        end: seconds(fact.invalid_at),
        never: status === "never true",
        lifetime: fact.lifetime,
        text: fact.text,
        why,
        confidence: fact.confidence,
        quotes: fact.sources.map((one) => [one.episode, one.said_at, one.quote]),
        tables: fact.stated_by,
      })),
    };
  }

  /** Return communities in slices of world time, with who was in which and who went where. */
  flow(every, known) {
    const given = { every, limit: BANDS, events: 200, details: true };
    return this.ask("communities_over_time", known ? { ...given, known_at: known } : given);
  }

  async search(query, moment, known) {
    const given = { query, limit: 8, scopes: ["facts", "entities"] };
    if (moment === null) given.history = true;
    else given.valid_at = new Date(moment * 1000).toISOString();
    if (known) given.known_at = known;
    const found = await this.ask("search", given);
    return {
      entities: found.entities.map((hit) => hit.entity.id),
      facts: found.facts.map((hit) => hit.fact),
    };
  }
}

class Embedded {
  constructor(data) {
    this.data = data;
    this.writes = false;
    this.live = false;
  }

  async atlas() {
    return this.data;
  }

  async story(id) {
    const { nodes, facts, quotes, about, relations } = this.data;
    const here = nodes.id.indexOf(id);
    const [aliases, summary] = about[here] ?? [[], ""];
    const rows = [...facts.id.keys()].filter(
      (row) => facts.subject[row] === here || facts.object[row] === here,
    );
    return {
      aliases,
      summary,
      attributes: {},
      leftOut: 0,
      facts: rows
        .sort((a, b) => (facts.start[a] ?? -Infinity) - (facts.start[b] ?? -Infinity))
        .map((row) => ({
          id: facts.id[row],
          subject: [nodes.id[facts.subject[row]], nodes.name[facts.subject[row]]],
          relation: relations[facts.relation[row]],
          object: [nodes.id[facts.object[row]], nodes.name[facts.object[row]]],
          start: facts.start[row],
          end: facts.end[row],
          never: false,
          lifetime: lifetime(facts.start[row], facts.end[row]),
          text: quotes[row]?.[0] ?? "",
          why: quotes[row]?.[1] ?? "",
          confidence: 1,
          quotes: quotes[row]?.[2] ?? [],
          tables: quotes[row]?.[3] ?? [],
        })),
    };
  }

  async search() {
    return { entities: [], facts: [] };
  }
}

/** Return what this page reads from. */
function sourceOf() {
  const data = $("data");
  return data ? new Embedded(JSON.parse(data.textContent)) : new Server();
}
