// What costs time, worst first, each with its evidence and a way to see it.

function makeDiagnoses(runs) {
  const section = byId("diagnoses");
  section.append(element("div", { class: "runs" }, runs.map((run) => {
    const cards = run.findings.diagnoses.map((diagnosis) => diagnosisCard(run, diagnosis));
    const nothing = element("p", { class: "quiet" }, "Nothing in this run asks for a change.");
    const title = runs.length > 1 ? element("h3", {}, "Run " + runLetter(run)) : null;
    return element("div", { class: "cards" }, title, cards.length > 0 ? cards : nothing);
  })));
}

function diagnosisCard(run, diagnosis) {
  const gain = diagnosis.gain > 0
    ? element("p", { class: "gain" }, element("strong", {}, "up to " + shareText(diagnosis.gain)), " of the run's time ", element("span", { class: "quiet" }, printable(diagnosis.gain_how)))
    : diagnosis.gain_how !== "" ? element("p", { class: "gain quiet" }, printable(diagnosis.gain_how)) : null;
  return element("article", { class: "card " + diagnosis.severity },
    element("header", {},
      element("span", { class: "severity" }, diagnosis.severity),
      element("h3", {}, printable(diagnosis.title)),
      button("Show", () => showDiagnosis(run, diagnosis), { "aria-label": "Show in the timeline: " + printable(diagnosis.title) })),
    element("p", {}, printable(diagnosis.evidence)),
    diagnosis.threshold !== "" ? element("p", { class: "quiet" }, printable(diagnosis.threshold)) : null,
    remedyOf(diagnosis),
    gain);
}

function remedyOf(diagnosis) {
  if (diagnosis.remedy === "") return null;
  const copy = button("Copy", () => copyText(pasteable(diagnosis.remedy), copy), { "aria-label": "Copy the remedy" });
  return element("div", { class: "remedy" }, element("code", {}, printable(diagnosis.remedy)), copy);
}

async function copyText(text, pressed) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    done = copyBySelection(text);
  }
  pressed.textContent = done ? "Copied" : "Not allowed";
  setTimeout(() => { pressed.textContent = "Copy"; }, 1500);
}

// Pages that are opened from disk may have no clipboard of the newer kind.
function copyBySelection(text) {
  const field = element("textarea", { class: "unseen" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

// Its stretch of the run, its construct apart from the others, and its worst grain selected.
function showDiagnosis(run, diagnosis) {
  const { construct, grains } = diagnosis;
  view.highlighted = construct === null ? null : highlightOf(run, construct);
  view.selected = grains.length > 0 ? { run, grain: grains[0] } : null;
  if (diagnosis.to > diagnosis.from) showRange(diagnosis.from, diagnosis.to);
  else fitRange();
  byId("timeline").scrollIntoView({ block: "start" });
}
