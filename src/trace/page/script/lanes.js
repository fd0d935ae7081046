// Where threads lie in the timeline: one lane each, those of a domain together.

const GUTTER = 118;
const AXIS_HEIGHT = 22;
const REGIONS_HEIGHT = 16;
const RIGHT_MARGIN = 10;
const ALL_LANES_HEIGHT = 420;

function byDomainThenNumber(threads) {
  const domainOf = (t) => (threads[t].domain === null ? Infinity : threads[t].domain);
  return threads.map((_, t) => t).sort((a, b) =>
    domainOf(a) - domainOf(b) || threads[a].process - threads[b].process || threads[a].number - threads[b].number);
}

// {lanes: [{thread, top, height}], groups: [{domain, top, bottom}], height}; tops below the axis.
function layLanes(run) {
  const { threads } = run.trace;
  const height = Math.max(5, Math.min(28, Math.floor(ALL_LANES_HEIGHT / Math.max(1, threads.length))));
  const gap = height >= 14 ? 3 : 1;
  const lanes = [];
  const groups = [];
  let top = AXIS_HEIGHT + REGIONS_HEIGHT + 4;
  for (const thread of byDomainThenNumber(threads)) {
    const { domain } = threads[thread];
    const group = groups[groups.length - 1];
    if (group === undefined || group.domain !== domain) {
      if (group !== undefined) top += 8;
      groups.push({ domain, top, bottom: top });
    }
    lanes.push({ thread, top, height });
    top += height + gap;
    groups[groups.length - 1].bottom = top - gap;
  }
  return { lanes, groups, height: top + 4 };
}

function laneAt(layout, y) {
  return layout.lanes.find((lane) => y >= lane.top && y < lane.top + lane.height) || null;
}
