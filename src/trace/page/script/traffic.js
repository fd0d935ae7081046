// Which domain's data was used where: a matrix, over the whole run or a stretch of it.

function makeTraffic(runs) {
  const panels = runs.map((run) => new TrafficPanel(run, runs.length));
  byId("traffic").append(
    element("p", { class: "quiet" }, "What grains named, in bytes (estimated, up to what is named next, where the program does not tell lengths), or grains themselves where that is not known either: rows are where the data is at home, columns are where the grains ran. Drag over the strip, or move the two sliders, to look at a part of the run."),
    element("div", { class: "runs" }, panels.map((panel) => panel.element)));
  themeListeners.push(() => panels.forEach((panel) => panel.draw()));
}

class TrafficPanel {
  constructor(run, runs) {
    this.run = run;
    const { bytes, grains } = run.findings.charts;
    this.inGrains = bytes.every((count) => count === 0);
    this.whole = this.inGrains ? grains : bytes;
    this.text = this.inGrains ? (count) => countText(count) + (count === 1 ? " grain" : " grains") : bytesText;
    this.cells = run.trace.domains ** 2;
    this.slices = this.cells > 0 ? run.traffic.length / this.cells : 0;
    this.from = 0;
    this.to = this.slices;
    this.strip = element("canvas", { class: "strip", role: "img", "aria-label": (this.inGrains ? "Grains" : "Bytes") + " over time, local below, remote above" });
    const slider = (label, value) => element("input", { type: "range", min: 0, max: this.slices, value, "aria-label": label, oninput: () => this.onSlide() });
    this.sliders = [slider("From", 0), slider("To", this.slices)];
    this.caption = element("p", { class: "range", "aria-live": "polite" });
    this.matrix = element("div", { class: "scroll" });
    this.element = element("article", { class: "run" }, runs > 1 ? element("h3", {}, "Run " + runLetter(run)) : null,
      this.slices > 1 ? [this.strip, element("div", { class: "sliders" }, this.sliders)] : null, this.caption, this.matrix);
    this.listen();
    this.draw();
  }

  listen() {
    let start = null;
    const sliceAt = (event) => {
      const box = this.strip.getBoundingClientRect();
      return Math.max(0, Math.min(this.slices, (event.clientX - box.left) / box.width * this.slices));
    };
    this.strip.addEventListener("pointerdown", (event) => {
      start = sliceAt(event);
      this.strip.setPointerCapture(event.pointerId);
    });
    this.strip.addEventListener("pointermove", (event) => {
      if (start !== null) this.setRange(Math.min(start, sliceAt(event)), Math.max(start, sliceAt(event)));
    });
    this.strip.addEventListener("pointerup", (event) => {
      if (start !== null && Math.abs(sliceAt(event) - start) * 100 < this.slices * 0.5) this.setRange(0, this.slices);
      start = null;
    });
    new ResizeObserver(() => this.drawStrip()).observe(this.element);
  }

  setRange(from, to) {
    this.from = Math.floor(from);
    this.to = Math.max(this.from + 1, Math.ceil(to));
    this.sliders[0].value = this.from;
    this.sliders[1].value = this.to;
    this.draw();
  }

  onSlide() {
    const [a, b] = this.sliders.map((slider) => Number(slider.value)).sort((x, y) => x - y);
    this.from = Math.min(a, this.slices - 1);
    this.to = Math.max(b, this.from + 1);
    this.draw();
  }

  isWhole() {
    return this.slices < 2 || (this.from === 0 && this.to === this.slices);
  }

  amounts() {
    if (this.isWhole()) return this.whole;
    const sum = new Array(this.cells).fill(0);
    for (let i = this.from * this.cells; i < this.to * this.cells; i++) sum[i % this.cells] += this.run.traffic[i];
    return sum;
  }

  draw() {
    const { traffic_slice: slice } = this.run.findings.charts;
    this.caption.textContent = this.isWhole() ? "the whole run" : timeText(this.from * slice) + " to " + timeText(this.to * slice);
    this.drawStrip();
    this.matrix.replaceChildren(matrixTable(this.amounts(), this.run.trace.domains, this.text));
  }

  // Local bytes from the ground up, what crossed on top of them.
  drawStrip() {
    if (this.slices < 2) return;
    const width = Math.max(100, this.element.clientWidth);
    const height = 56;
    const context = sizedContext(this.strip, width, height);
    const { domains } = this.run.trace;
    const sums = Array.from({ length: this.slices }, () => [0, 0]);
    for (let i = 0; i < this.run.traffic.length; i++) {
      const cell = i % this.cells;
      sums[Math.floor(i / this.cells)][cell % domains === Math.floor(cell / domains) ? 0 : 1] += this.run.traffic[i];
    }
    const most = sums.reduce((m, [a, b]) => Math.max(m, a + b), 1);
    const fills = [fillOf(context, 0), fillOf(context, 2)];
    sums.forEach((parts, i) => {
      const left = Math.floor(i / this.slices * width);
      const right = Math.floor((i + 1) / this.slices * width);
      let bottom = height;
      context.globalAlpha = i >= this.from && i < this.to ? 1 : 0.3;
      parts.forEach((bytes, k) => {
        const high = bytes / most * (height - 2);
        context.fillStyle = fills[k];
        context.fillRect(left, bottom - high, Math.max(1, right - left), high);
        bottom -= high;
      });
    });
    context.globalAlpha = 1;
  }
}

function matrixTable(amounts, domains, text) {
  const total = amounts.reduce((a, b) => a + b, 0);
  const most = amounts.reduce((a, b) => Math.max(a, b), 1);
  const numbers = Array.from({ length: domains }, (_, i) => i);
  const isSmall = domains > 12;
  const corner = element("th", { scope: "col" }, isSmall ? "" : "at home in \\ ran in");
  const head = element("tr", {}, corner, numbers.map((to) => element("th", { scope: "col" }, isSmall ? String(to) : domainName(to))));
  const rows = numbers.map((from) => element("tr", {}, element("th", { scope: "row" }, isSmall ? String(from) : domainName(from)),
    numbers.map((to) => matrixCell(amounts[from * domains + to] || 0, from, to, most, total, isSmall, text))));
  return element("table", { class: "matrix" + (isSmall ? " small" : "") }, element("caption", { class: "unseen" }, "From domain to domain"), element("thead", {}, head), element("tbody", {}, rows));
}

function matrixCell(amount, from, to, most, total, isSmall, text) {
  const strength = amount === 0 ? 0 : Math.max(4, Math.round(amount / most * 60));
  const tint = "--tint:" + strength + "%";
  const title = text(amount) + " at home in " + domainName(from) + ", used in " + domainName(to);
  const what = isSmall ? null : [text(amount), element("small", {}, total > 0 ? shareText(amount / total) : "")];
  return element("td", { class: from === to ? "own" : "crossed", style: tint, title, "aria-label": title }, what);
}
