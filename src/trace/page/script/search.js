// Finds a construct by its name, and a grain by its number.

const MOST_FOUND = 12;

// [{text, go}]
function findAll(runs, needle) {
  const found = [];
  const wanted = needle.trim().toLowerCase();
  if (wanted === "") return found;
  const prefix = (run) => (runs.length > 1 ? "Run " + runLetter(run) + ": " : "");
  const number = /^(?:([ab])\s+)?(?:grain\s*#?|#)?\s*([\d,]+)$/.exec(wanted);
  for (const run of runs) {
    if (number !== null && (number[1] === undefined || number[1] === runLetter(run).toLowerCase())) {
      const grain = Number(number[2].replaceAll(",", ""));
      if (grain < run.count) found.push({ text: prefix(run) + "grain " + grain, go: () => goTo(run, grain) });
      else found.push({ text: prefix(run) + "there is no grain " + grain + "; the last is " + (run.count - 1), go: null });
    }
    run.trace.constructs.forEach((construct, i) => {
      if (found.length < MOST_FOUND && printable(construct.place).toLowerCase().includes(wanted)) {
        found.push({ text: prefix(run) + constructName(run, i), go: () => { view.highlighted = highlightOf(run, i); viewChanged(); } });
      }
    });
  }
  return found;
}

function makeSearch(runs) {
  const field = byId("search");
  const list = byId("search-results");
  let found = [];
  let chosen = 0;
  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const go = (what) => {
    if (what === undefined || what.go === null) return;
    close();
    what.go();
    byId("timeline").scrollIntoView({ block: "start" });
  };
  const draw = () => {
    list.replaceChildren(...found.map((what, i) => element("li", {
      role: "option", id: "found-" + i, "aria-selected": String(i === chosen), onpointerdown: (event) => { event.preventDefault(); go(what); },
    }, what.text)));
    if (found.length === 0) list.append(element("li", { class: "quiet" }, "nothing found"));
    list.hidden = field.value.trim() === "";
    field.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length > 0) field.setAttribute("aria-activedescendant", "found-" + chosen);
  };
  field.addEventListener("input", () => { found = findAll(runs, field.value); chosen = 0; draw(); });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key === "Enter") go(found[chosen]);
    else if (event.key === "Escape") close();
    else if (moves[event.key] !== undefined && found.length > 0) {
      event.preventDefault();
      chosen = (chosen + moves[event.key] + found.length) % found.length;
      draw();
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|select|textarea)$/i.test(document.activeElement?.tagName ?? "");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    field.focus();
  });
}
