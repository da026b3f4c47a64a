"use strict";
// World time: the slider, its histogram, and play. System time: as known on a day.

const STEPS = 1000;
const PLAYED = 20000; // milliseconds from the first moment to the last

class Time {
  constructor(on) {
    this.on = on;
    this.playing = 0;
    $("moment").max = STEPS;
    $("moment").addEventListener("input", () => this.seek(this.momentOf($("moment").valueAsNumber)));
    $("play").addEventListener("click", () => this.toggle());
    $("always").addEventListener("change", () => this.seek($("always").checked ? null : this.last));
    $("as_known").addEventListener("change", () => {
      $("known").disabled = !$("as_known").checked;
      this.know();
    });
    $("known").addEventListener("change", () => this.know());
    addEventListener("resize", settled(150, () => this.model && this.draw()));
  }

  /** Take over a model; the moment stays. */
  take(model, moment) {
    this.model = model;
    this.last = moment ?? model.now;
    this.draw();
    this.show(moment);
  }

  momentOf(step) {
    const [first, last] = this.model.domain;
    return Math.round(first + (step / STEPS) * (last - first));
  }

  stepOf(moment) {
    const [first, last] = this.model.domain;
    return Math.round(((moment - first) / (last - first)) * STEPS);
  }

  /** Go to a moment of world time; null for all times. */
  seek(moment, { quiet = false } = {}) {
    if (!quiet) this.stop();
    if (moment !== null) this.last = moment;
    this.show(moment);
    this.on.moment(moment);
  }

  step(steps) {
    this.seek(this.momentOf(Math.min(STEPS, Math.max(0, this.stepOf(this.last) + steps))));
  }

  show(moment) {
    $("always").checked = moment === null;
    $("moment").valueAsNumber = this.stepOf(moment ?? this.last);
    $("moment").setAttribute("aria-valuetext", moment === null ? "all times" : day(moment));
    $("date").textContent = moment === null ? "all times" : day(moment);
    $("date").dateTime = moment === null ? "" : day(moment);
  }

  /** Say how many facts hold. */
  count() {
    $("holding").textContent = `${plural(this.model.holding, "fact")} ${this.model.moment === null ? "of all times" : this.model.holding === 1 ? "holds" : "hold"}`;
  }

  toggle() {
    if (this.playing) return this.stop();
    if (this.last >= this.momentOf(STEPS)) this.last = this.momentOf(0);
    const from = this.last;
    const [first, last] = this.model.domain;
    const began = performance.now();
    const tick = (time) => {
      const moment = from + ((time - began) / PLAYED) * (last - first);
      this.seek(Math.round(Math.min(moment, last)), { quiet: true });
      if (moment >= last) return this.stop();
      this.playing = requestAnimationFrame(tick);
    };
    this.playing = requestAnimationFrame(tick);
    $("play").textContent = "❚❚";
    $("play").setAttribute("aria-label", "Pause");
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    $("play").textContent = "▶";
    $("play").setAttribute("aria-label", "Play");
  }

  know() {
    const given = $("as_known").checked && $("known").value;
    this.on.known(given ? new Date(given).toISOString() : null);
  }

  /** Show as of which moment of system time the page is. */
  showKnown(iso) {
    $("as_known").checked = Boolean(iso);
    $("known").disabled = !iso;
    const date = iso ? new Date(iso) : new Date();
    const local = new Date(date.getTime() - date.getTimezoneOffset() * 60000);
    if (iso || !$("known").value) $("known").value = local.toISOString().slice(0, 19);
  }

  /** Draw how many facts hold when, and the years. */
  draw() {
    const canvas = $("histogram");
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const buckets = this.model.histogram(160);
    const most = Math.max(1, ...buckets);
    context.fillStyle = style.getPropertyValue("--accent");
    context.globalAlpha = 0.28;
    context.beginPath();
    context.moveTo(8, height);
    buckets.forEach((count, at) => {
      context.lineTo(8 + (at / (buckets.length - 1)) * (width - 16), height - (count / most) * (height - 3));
    });
    context.lineTo(width - 8, height);
    context.fill();
    replace($("ticks"), ...this.ticks().map(([share, name]) => {
      const tick = el("span", {}, name);
      tick.style.left = `${share * 100}%`;
      return tick;
    }));
  }

  /** Return a handful of round years, or months, with their place. */
  ticks() {
    const [first, last] = this.model.domain;
    const [from, to] = [first, last].map((one) => new Date(one * 1000));
    const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
    const step = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000].find((one) => months / one <= 9) ?? 12000;
    const found = [];
    const start = Math.ceil((from.getUTCFullYear() * 12 + from.getUTCMonth()) / step) * step;
    for (let month = start; found.length < 14; month += step) {
      const date = new Date(0);
      date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
      const share = (date.getTime() / 1000 - first) / (last - first);
      if (share > 1) break;
      if (share > 0.01 && share < 0.99) found.push([share, date.toISOString().slice(0, step % 12 ? 7 : 4)]);
    }
    return found;
  }
}
