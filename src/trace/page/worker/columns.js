// Columns of numbers as src/trace/page/columns.cpp packs them, unpacked into typed arrays.
// Indexes stay by one higher than they are, so that 0 is "none" (codes "index" and "link").

async function inflate(packed, size) {
  const bytes = new Uint8Array(size);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) throw new Error("a column is longer than its table");
    bytes.set(value, at);
    at += value.length;
  }
  if (at !== size) throw new Error("a column is shorter than its table");
  return bytes;
}

function planesOf(mask) {
  const planes = [];
  for (let k = 0; k < 8; k++) if (mask >> k & 1) planes.push(k);
  return planes;
}

// An array of the narrowest kind that holds the column's numbers.
function arrayFor(planes, count) {
  const top = planes.length === 0 ? 0 : planes[planes.length - 1];
  if (top === 0) return new Uint8Array(count);
  if (top === 1) return new Uint16Array(count);
  return top < 4 ? new Uint32Array(count) : new Float64Array(count);
}

function joinPlanes(bytes, mask, count) {
  const planes = planesOf(mask);
  if (planes.length === 1 && planes[0] === 0) return bytes;
  const out = arrayFor(planes, count);
  const wide = out instanceof Float64Array;
  planes.forEach((plane, i) => {
    const from = i * count;
    if (wide) {
      const scale = 2 ** (8 * plane);
      for (let j = 0; j < count; j++) out[j] += bytes[from + j] * scale;
    } else {
      const shift = 8 * plane;
      for (let j = 0; j < count; j++) out[j] |= bytes[from + j] << shift;
    }
  });
  return out;
}

// 0, 1, 2, 3, ... stand for 0, -1, 1, -2, ...
function signedOf(value) {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function signedColumn(values) {
  const out = values instanceof Float64Array ? values : new Int32Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = signedOf(values[i]);
  return out;
}

function sumOfSteps(values, of) {
  const out = new Float64Array(values.length);
  for (let t = 0; t + 1 < of.length; t++) {
    let sum = 0;
    for (let i = of[t]; i < of[t + 1]; i++) out[i] = sum += values[i];
  }
  return out;
}

function linkColumn(values) {
  const out = new Uint32Array(values.length);
  let last = 0;
  for (let i = 0; i < out.length; i++) {
    if (values[i] === 0) continue;
    last += signedOf(values[i] - 1);
    out[i] = last + 1;
  }
  return out;
}

// column: {code, planes, packed}; of: where each thread's rows begin.
async function unpackColumn(column, of) {
  const count = of[of.length - 1];
  const size = planesOf(column.planes).length * count;
  const bytes = size === 0 ? new Uint8Array(count) : await inflate(column.packed, size);
  const values = joinPlanes(bytes, column.planes, count);
  switch (column.code) {
    case "signed": return signedColumn(values);
    case "steps": return sumOfSteps(values, of);
    case "link": return linkColumn(values);
    default: return values;
  }
}
