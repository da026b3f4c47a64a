"use strict";
// The facts of all times in columns, and what of them holds at a moment.

class Model {
  constructor(atlas) {
    this.atlas = atlas;
    this.group = atlas.group;
    this.nodes = atlas.nodes;
    this.facts = atlas.facts;
    this.types = atlas.types;
    this.relations = atlas.relations;
    this.communities = atlas.communities;
    this.count = this.nodes.id.length;
    this.size = this.facts.id.length;
    this.row = new Map(this.nodes.id.map((id, row) => [id, row]));
    this.start = Float64Array.from(this.facts.start, (one) => one ?? -Infinity);
    this.end = Float64Array.from(this.facts.end, (one) => one ?? Infinity);
    this.names = this.nodes.name.map((name) => shown(name));
    this.keys = this.names.map((name) => folded(name));
    this.offTypes = new Set();
    this.offRelations = new Set();
    this.now = Date.parse(atlas.made_at) / 1000;
    this.#pairs();
    this.#around();
    this.degree = new Uint32Array(this.count);
    this.strength = new Uint32Array(this.pairs.length);
    this.total = new Uint32Array(this.count);
    for (let fact = 0; fact < this.size; fact++) {
      this.total[this.facts.subject[fact]]++;
      this.total[this.facts.object[fact]]++;
    }
    this.domain = this.#domain();
    this.look(this.now);
  }

  /** Number the pairs of entities that facts join. */
  #pairs() {
    const known = new Map();
    this.pairs = [];
    this.pairOf = new Int32Array(this.size).fill(-1);
    for (let fact = 0; fact < this.size; fact++) {
      const one = this.facts.subject[fact];
      const other = this.facts.object[fact];
      if (one === other) continue;
      const key = Math.min(one, other) * this.count + Math.max(one, other);
      if (!known.has(key)) {
        known.set(key, this.pairs.length);
        this.pairs.push([one, other]);
      }
      this.pairOf[fact] = known.get(key);
    }
  }

  /** Note the facts at each entity. */
  #around() {
    this.at = Array.from({ length: this.count }, () => []);
    for (let fact = 0; fact < this.size; fact++) {
      this.at[this.facts.subject[fact]].push(fact);
      if (this.facts.object[fact] !== this.facts.subject[fact]) {
        this.at[this.facts.object[fact]].push(fact);
      }
    }
  }

  /** Return the stretch of time of the slider: all but the far ends, and now. */
  #domain() {
    const known = [...this.facts.start, ...this.facts.end].filter((one) => one !== null);
    known.sort((a, b) => a - b);
    if (!known.length) return [this.now - 31557600, this.now];
    let [first, last] = [Math.min(known[0], this.now), Math.max(known[known.length - 1], this.now)];
    // One fact of 1898 must not squeeze those of today: of eight moments one may lie outside, if
    // the rest then has three times the room.
    const most = Math.floor(known.length / 8);
    const early = known.slice(1, most + 1).find((one) => (last - one) * 3 < last - first && one <= this.now);
    first = early ?? first;
    const late = known.slice(-most - 1, -1).reverse().find((one) => (Math.max(one, this.now) - first) * 3 < last - first);
    last = late === undefined ? last : Math.max(late, this.now);
    return [first - Math.max(86400, (last - first) / 50), last];
  }

  /** Tell whether a fact is drawn: its relation, and the types of both ends. */
  wanted(fact) {
    return (
      !this.offRelations.has(this.facts.relation[fact]) &&
      !this.offTypes.has(this.nodes.type[this.facts.subject[fact]]) &&
      !this.offTypes.has(this.nodes.type[this.facts.object[fact]])
    );
  }

  /** Tell whether a fact holds at a moment; null means at any. */
  holds(fact, moment = this.moment) {
    return moment === null || (this.start[fact] <= moment && moment < this.end[fact]);
  }

  /** Look at a moment, null for all times: count what holds there. */
  look(moment) {
    this.moment = moment;
    this.degree.fill(0);
    this.strength.fill(0);
    this.holding = 0;
    for (let fact = 0; fact < this.size; fact++) {
      if (!this.holds(fact, moment) || !this.wanted(fact)) continue;
      this.holding++;
      this.degree[this.facts.subject[fact]]++;
      this.degree[this.facts.object[fact]]++;
      if (this.pairOf[fact] >= 0) this.strength[this.pairOf[fact]]++;
    }
  }

  /** Return how many facts hold at evenly spread moments. */
  histogram(buckets) {
    const [first, last] = this.domain;
    const turns = new Float64Array(buckets + 1);
    const place = (moment) => Math.ceil(((moment - first) / (last - first)) * (buckets - 1));
    for (let fact = 0; fact < this.size; fact++) {
      if (!this.wanted(fact) || this.start[fact] > last || this.end[fact] <= first) continue;
      turns[Math.max(0, place(this.start[fact]))]++;
      if (this.end[fact] <= last) turns[Math.min(buckets, place(this.end[fact]))]--;
    }
    let sum = 0;
    return Array.from({ length: buckets }, (_, bucket) => (sum += turns[bucket]));
  }

  /** Return the entities whose name has these words, those that begin so first. */
  named(query) {
    const key = folded(query);
    if (!key) return [];
    const found = [];
    for (let row = 0; row < this.count; row++) {
      const place = this.keys[row].indexOf(key);
      if (place >= 0) found.push([place === 0 ? 0 : this.keys[row][place - 1] === " " ? 1 : 2, row]);
    }
    return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, row]) => row);
  }

  /** Return a shortest chain of facts that hold between two entities, null if there is none. */
  path(from, to) {
    const came = new Int32Array(this.count).fill(-1);
    const seen = new Uint8Array(this.count);
    let edge = [from];
    seen[from] = 1;
    while (edge.length && !seen[to]) {
      const next = [];
      for (const here of edge) {
        for (const fact of this.at[here]) {
          const there = this.across(fact, here);
          if (seen[there] || !this.holds(fact) || !this.wanted(fact)) continue;
          seen[there] = 1;
          came[there] = fact;
          next.push(there);
        }
      }
      edge = next;
    }
    if (!seen[to]) return null;
    const facts = [];
    for (let here = to; here !== from; here = this.across(came[here], here)) facts.unshift(came[here]);
    return facts;
  }

  /** Return the other end of a fact. */
  across(fact, row) {
    return this.facts.subject[fact] === row ? this.facts.object[fact] : this.facts.subject[fact];
  }

  /** Return a fact in words. */
  said(fact) {
    const { subject, relation, object } = this.facts;
    return `${this.names[subject[fact]]} ${words(this.relations[relation[fact]])} ${this.names[object[fact]]}`;
  }
}

/** Return a text without case and accents, to be compared. */
function folded(text) {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();
}
