// The little window beside the pointer.

function showTip(event, title, pairs) {
  const tip = byId("tip");
  tip.replaceChildren(element("strong", {}, title), termList(pairs));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = event.clientX + 14 + width > innerWidth ? event.clientX - width - 10 : event.clientX + 14;
  const top = event.clientY + 16 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 16;
  tip.style.transform = "translate(" + Math.max(2, left) + "px," + Math.max(2, top) + "px)";
}

function hideTip() {
  byId("tip").hidden = true;
}

function tipOf(run, { picked, moves }, event) {
  const found = tipWords(run, picked);
  const moved = moveTip(run, moves);
  if (found === null && moved.length === 0) return hideTip();
  return showTip(event, found?.title ?? "moved", [...(found?.pairs ?? []), ...moved]);
}

function tipWords(run, picked) {
  if (picked.grain !== undefined) return { title: "grain " + picked.grain, pairs: grainTip(run, picked.grain) };
  if (picked.count !== undefined) return { title: counted(picked.count, "grain"), pairs: manyTip(run, picked) };
  if (picked.wait !== undefined) return { title: waitWord(run, picked.wait), pairs: waitTip(run, picked.wait) };
  return null;
}

function grainTip(run, grain) {
  const { locality, length, construct, home, domain } = run.grains;
  return [
    ["construct", construct ? constructName(run, construct[grain] - 1) : null],
    ["length", timeText(length[grain])],
    ["locality", LOCALITIES[locality[grain]]],
    ["data in", home && home[grain] > 0 ? domainName(home[grain] - 1) : null],
    ["ran in", domain && domain[grain] > 0 ? domainName(domain[grain] - 1) : null],
  ];
}

function manyTip(run, { times, longest, from, to }) {
  const { construct, length } = run.grains;
  const name = construct ? ", " + constructName(run, construct[longest] - 1) : "";
  return [
    ["in", timeText(to - from)],
    ...LOCALITIES.map((word, i) => [word, times[i] > 0 ? timeText(times[i]) : null]),
    ["longest", "grain " + longest + ", " + timeText(length[longest]) + name],
  ];
}

function waitWord(run, wait) {
  return run.waits.kind ? run.words.waits[run.waits.kind[wait]] : "waits";
}

function waitTip(run, wait) {
  return [["length", timeText(run.waits.length[wait])],
    ["without a grain", run.waits.idle ? timeText(run.waits.idle[wait]) : null]];
}
