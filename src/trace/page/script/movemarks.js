// What moved, over the lanes: a triangle where a thread marked or moved memory, a line where it went
// elsewhere itself.

const MARK_WIDTH = 4;
// As memory::MoveKind counts.
const MOVE_WORDS = [null, "marked", "fetched", "moved by a call", "sampled", "goes to"];
const THREAD_MOVES = 5;

// The rows of a lane in a stretch of time: [first, behind the last].
function movesBetween(run, thread, from, to) {
  const { at, of } = run.moves;
  const end = lastAtMost(at, of[thread], of[thread + 1], to) + 1;
  return [lastAtMost(at, of[thread], end, from) + 1, end];
}

// One for each pixel, however many there are: a thread's own move hides none.
function drawMoveMarks(context, run, layout, scale) {
  const { at, kind } = run.moves;
  context.fillStyle = colour("moved");
  for (const { thread, top, height } of layout.lanes) {
    const [first, end] = movesBetween(run, thread, view.from, view.to);
    const drawn = [-MARK_WIDTH, -MARK_WIDTH];
    for (let i = first; i < end; i++) {
      const x = scale.x(at[i]);
      const isThread = kind[i] === THREAD_MOVES;
      if (x - drawn[Number(isThread)] < 1) continue;
      drawn[Number(isThread)] = x;
      if (isThread) context.fillRect(x - 1, top - 1, 2, height + 2);
      else drawTriangle(context, x, top + height);
    }
  }
}

function drawTriangle(context, x, bottom) {
  context.beginPath();
  context.moveTo(x, bottom - 5);
  context.lineTo(x + MARK_WIDTH, bottom + 1);
  context.lineTo(x - MARK_WIDTH, bottom + 1);
  context.fill();
}

// What moved there, by kind; of a thread where it went last.
function moveTip(run, [first, end]) {
  const { kind, bytes, domain, core } = run.moves;
  const sums = new Map();
  for (let i = first; i < end; i++) {
    const sum = sums.get(kind[i]) ?? { times: 0, bytes: 0, last: i };
    sums.set(kind[i], { times: sum.times + 1, bytes: sum.bytes + bytes[i], last: i });
  }
  return [...sums].map(([which, { times, bytes: all, last }]) => [MOVE_WORDS[which],
    which === THREAD_MOVES
      ? domainName(domain[last] > 0 ? domain[last] - 1 : null) + (core[last] > 0 ? ", core " + (core[last] - 1) : "")
      : bytesText(all) + (times > 1 ? " in " + counted(times, "piece") : "")]);
}
