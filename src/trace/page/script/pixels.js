// Paints lanes, pixel by pixel: as many rectangles would take a canvas seconds.

// From the bottom up: what is worst stands on the ground, where its share is easiest to compare.
const STACKED = [2, 3, 1, 0, DIMMED];

function palette() {
  const pixels = KIND_NAMES.map((name) => pixelOf(colour(name)));
  const marks = KIND_NAMES.map((name, i) => (i < 4 ? pixelOf(colour(name + "-mark")) : pixels[i]));
  return { pixels, marks, lane: pixelOf(colour("lane")), edge: pixelOf(colour("edge")) };
}

class LanePainter {
  constructor(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.palette = palette();
  }

  // Rows top to bottom - 1 of column x, in a kind's colour and pattern.
  fill(x, top, bottom, kind) {
    const { pixels, marks } = this.palette;
    const plain = pixels[kind];
    const mark = marks[kind];
    const scale = this.ratio >= 2 ? 2 : 1;
    // In thin lanes lines would be all that is seen; there the hatching of remote ones stands alone.
    const hasMarks = kind === 2 || (kind < 4 && kind > 0 && this.height >= 11 * scale);
    for (let y = top, at = top * this.width + x; y < bottom; y++, at += this.width) {
      const isMark = hasMarks && isMarked(kind, (x / scale) | 0, (y / scale) | 0);
      this.pixels[at] = isMark ? mark : plain;
    }
  }

  line(x, top, bottom, pixel) {
    for (let y = top, at = top * this.width + x; y < bottom; y++, at += this.width) this.pixels[at] = pixel;
  }

  // One lane of mixes; whatever took any time gets a pixel at least.
  paintMix(mix, top, height, timePerPixel) {
    for (let x = 0; x < this.width; x++) {
      let y = top + height;
      let rest = height;
      const at = x * KINDS;
      for (const kind of STACKED) {
        const time = mix[at + kind];
        if (time === 0 || rest === 0) continue;
        const share = Math.min(rest, Math.max(1, Math.round(time / timePerPixel * height)));
        this.fill(x, y - share, y, kind);
        y -= share;
        rest -= share;
      }
      if (rest === 0) continue;
      const waiting = mix[at + WAITING] > 0 ? Math.min(rest, Math.round(mix[at + WAITING] / timePerPixel * height)) : 0;
      this.line(x, y - waiting, y, this.palette.pixels[WAITING]);
      this.line(x, top, y - waiting, this.palette.lane);
    }
  }

  // Edges of grains that are wide enough to be seen apart, and a step down where they are nested.
  paintEdges(run, kindOf, thread, top, height, from, timePerPixel) {
    const { begin, of } = run.grains;
    const first = lastAtMost(begin, of[thread], of[thread + 1], from) + 1;
    const last = lastAtMost(begin, of[thread], of[thread + 1], from + this.width * timePerPixel) + 1;
    const step = Math.max(2, Math.round(height / 6));
    for (const grain of openAt(run, thread, from)) this.paintEdge(run, kindOf, grain, top, height, step, from, timePerPixel);
    for (let i = first; i < last; i++) this.paintEdge(run, kindOf, i, top, height, step, from, timePerPixel);
  }

  paintEdge(run, kindOf, grain, top, height, step, from, timePerPixel) {
    const { begin, length } = run.grains;
    if (length[grain] < 5 * timePerPixel) return;
    const left = Math.floor((begin[grain] - from) / timePerPixel);
    const right = Math.min(this.width, Math.floor((begin[grain] + length[grain] - from) / timePerPixel));
    let indent = 0;
    for (let outer = run.outer[grain] - 1; outer !== NONE && indent + 2 * step < height; outer = run.outer[outer] - 1) {
      for (let x = Math.max(0, left); x < right; x++) this.fill(x, top + indent, top + indent + step, kindOf(outer));
      indent += step;
    }
    if (left >= 0 && left < this.width) this.line(left, top + indent, top + height, this.palette.edge);
  }
}
