// Everything about the selected grain.

function makeDetails() {
  const panel = element("div", { class: "details", "aria-live": "polite" });
  byId("timeline").append(panel);
  let shown = null;
  const draw = () => {
    const { selected } = view;
    if (selected === shown && selected?.isShown) return;
    shown = selected;
    panel.replaceChildren();
    if (selected === null) {
      panel.append(element("p", { class: "quiet" }, "Click a grain to see all about it."));
    } else if (selected.run.isComplete) {
      selected.isShown = true;
      panel.append(...detailsOf(selected.run, selected.grain));
    } else {
      panel.append(element("p", { class: "quiet" }, "Its details are still being read."));
    }
  };
  viewListeners.push(draw);
}

function grainLink(run, link) {
  return link === 0 ? null : button("grain " + (link - 1), () => goTo(run, link - 1), { class: "link" });
}

function detailsOf(run, grain) {
  const g = run.grains;
  const construct = g.construct[grain] - 1;
  const arrows = arrowsOf(run, grain);
  const title = element("h3", {}, "grain " + grain + " ", swatch(g.locality[grain]), LOCALITIES[g.locality[grain]]);
  const name = button(constructName(run, construct), () => {
    view.highlighted = highlightOf(run, construct);
    viewChanged();
  }, { class: "link", title: "Highlight this construct" });
  return [title, element("div", { class: "columns" },
    termList([["construct", name], ...whatTerms(run, grain)]),
    termList(timeTerms(run, grain)),
    termList(placeTerms(run, grain)),
    termList(linkTerms(run, grain, arrows)))];
}

// The visit to a loop that a chunk belongs to, as text; null for tasks.
function loopText(run, grain) {
  const { begin, length, of, iterations, chunk } = run.loops;
  if (!(run.grains.flags[grain] & 1)) return null;
  const thread = threadOf(run, grain);
  const visit = lastAtMost(begin, of[thread], of[thread + 1], run.grains.begin[grain]);
  if (visit < of[thread] || begin[visit] + length[visit] < run.grains.begin[grain]) return null;
  return counted(iterations[visit], "iteration") + ", chunk " + countText(chunk[visit]);
}

function whatTerms(run, grain) {
  const g = run.grains;
  const words = ["undeferred", "later part of an untied task", null, "the trace ends before it does"]
    .filter((word, i) => word !== null && g.flags[grain] >> (i + 1) & 1);
  return [
    ["kind", (g.flags[grain] & 1 ? "chunk of a loop" : "task") + words.map((word) => ", " + word).join("")],
    ["iterations", g.flags[grain] & 1 ? countText(g.first[grain]) + " to " + countText(g.first[grain] + g.iterations[grain] - 1) : null],
    ["the loop has", loopText(run, grain)],
    ["data it names", g.bytes[grain] > 0 ? bytesText(g.bytes[grain]) : "none"],
    ["depth", String(g.depth[grain])],
  ];
}

function timeTerms(run, grain) {
  const g = run.grains;
  const ready = g.begin[grain] - g.queued[grain];
  const length = g.length[grain];
  return [
    ["created", timeText(ready - g.held[grain])],
    ["ready", timeText(ready) + (g.held[grain] > 0 ? ", held back " + timeText(g.held[grain]) : "")],
    ["begin", timeText(g.begin[grain]) + ", queued " + timeText(g.queued[grain])],
    ["end", timeText(g.begin[grain] + length)],
    ["length", timeText(length)],
    ["own time", timeText(length - g.inside[grain])],
    ["creating it took", timeText(g.cost[grain])],
  ];
}

function placeTerms(run, grain) {
  const g = run.grains;
  const named = (column) => (column[grain] > 0 ? domainName(column[grain] - 1) : null);
  return [
    ["thread", threadName(run, threadOf(run, grain))],
    ["ran in", named(g.domain)],
    ["home", named(g.home) ?? "not known"],
    ["located by", LOCATED[g.located[grain]]],
    ["stolen from", named(g.stolen) ?? "not stolen"],
    ["region", g.region[grain] > 0 ? String(g.region[grain] - 1) : null],
  ];
}

function linkTerms(run, grain, arrows) {
  const g = run.grains;
  const some = (grains) => (grains.length === 0 ? null : [counted(grains.length, "grain"), ": ",
    ...grains.slice(0, 3).flatMap((other, i) => [i > 0 ? ", " : "", grainLink(run, other + 1)]),
    grains.length > 3 ? ", \u2026" : ""]);
  const list = (grains) => { const items = some(grains); return items && element("span", {}, items); };
  const over = Math.max(arrows.created.length, arrows.released.length) > MOST_ARROWS;
  return [
    ["created by", grainLink(run, g.creator[grain]) ?? (g.flags[grain] & 1 ? "the loop" : "the region's own code")],
    ["released by", grainLink(run, g.released_by[grain])],
    ["part before", grainLink(run, g.part_of[grain])],
    ["ran inside of", grainLink(run, run.outer[grain])],
    ["created", list(arrows.created)],
    ["released", list(arrows.released)],
    ["arrows", over ? "the first " + MOST_ARROWS + " of each kind" : null],
  ];
}
