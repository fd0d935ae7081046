// Tables that sort and search.

const ROWS_AT_FIRST = 40;

// columns: [{title, hint, value(row), text(row), cell(row), isText}]; value sorts, text is shown, or
// what cell makes. Without `sorted` rows stay as they come. Returns {table, filter(text)}.
class SortedTable {
  constructor({ columns, rows, sorted = null, caption, onrow = null }) {
    this.columns = columns;
    this.rows = rows;
    this.sorted = sorted;
    this.isDescending = true;
    this.shown = ROWS_AT_FIRST;
    this.needle = "";
    this.onrow = onrow;
    this.body = element("tbody");
    this.heads = columns.map((column, i) => this.makeHead(column, i));
    this.more = button("Show all", () => this.showAll(), { class: "more" });
    const head = element("thead", {}, element("tr", {}, this.heads));
    this.table = element("table", {}, element("caption", { class: "unseen" }, caption), head, this.body);
    this.element = element("div", {}, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, this.table), this.more);
    this.draw();
  }

  makeHead(column, i) {
    const sort = column.title === "" ? "" : button(column.title, () => this.sortBy(i), { title: column.hint });
    return element("th", { scope: "col", class: (column.isText ? "text" : "number") + " " + (column.look || "") }, sort);
  }

  sortBy(i) {
    this.isDescending = this.sorted === i ? !this.isDescending : !this.columns[i].isText;
    this.sorted = i;
    this.draw();
  }

  showAll() {
    this.shown = Infinity;
    this.draw();
  }

  filter(needle) {
    this.needle = needle.toLowerCase();
    this.draw();
  }

  visibleRows() {
    const text = (row) => this.columns.filter((c) => c.isText).map((c) => c.text(row)).join(" ").toLowerCase();
    const rows = this.rows.filter((row) => this.needle === "" || text(row).includes(this.needle));
    if (this.sorted === null) return rows;
    const { value } = this.columns[this.sorted];
    const sign = this.isDescending ? -1 : 1;
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return rows.sort((a, b) => sign * order(value(a), value(b)));
  }

  draw() {
    const rows = this.visibleRows();
    this.body.replaceChildren(...rows.slice(0, this.shown).map((row) => this.makeRow(row)));
    if (rows.length === 0) {
      this.body.append(element("tr", {}, element("td", { colspan: this.columns.length, class: "nothing" }, "nothing")));
    }
    this.more.hidden = rows.length <= this.shown;
    this.more.textContent = "Show all " + countText(rows.length) + " rows";
    this.heads.forEach((head, i) => {
      if (i === this.sorted) head.setAttribute("aria-sort", this.isDescending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  makeRow(row) {
    const cells = this.columns.map((column, i) => {
      const what = column.cell ? column.cell(row) : column.text(row);
      const attributes = { class: (column.isText ? "text" : "number") + " " + (column.look || "") };
      return i === 0 ? element("th", { scope: "row", ...attributes }, what) : element("td", attributes, what);
    });
    return element("tr", {}, cells);
  }
}

// A stacked bar of the localities' shares.
function localityBar(times) {
  const sum = times.reduce((a, b) => a + b, 0);
  const text = LOCALITIES.map((name, i) => name + " " + shareText(times[i] / sum)).join(", ");
  const bar = element("span", { class: "shares", role: "img", "aria-label": text, title: text });
  times.forEach((time, i) => {
    if (time > 0) bar.append(element("span", { class: KIND_NAMES[i], style: "flex-grow:" + time / sum }));
  });
  return bar;
}
