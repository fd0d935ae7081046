// What is done beside the page, so that it never stands still: unpacking, and building the pyramid.

async function unpackTable(table) {
  const columns = { of: table.of };
  for (const column of table.columns) columns[column.name] = await unpackColumn(column, table.of);
  return columns;
}

// What the timeline needs before anything can be drawn.
async function drawableJob(job) {
  const grains = await unpackTable(job.grains);
  const waits = await unpackTable(job.waits);
  const data = { ...grains, kinds: grains.locality, waits };
  return {
    grains,
    waits,
    outer: enclosing(grains.begin, grains.length, grains.of),
    pyramid: buildPyramid(data, job.duration),
  };
}

async function runJob(job) {
  return job.what === "drawable" ? drawableJob(job) : unpackTable(job.table);
}

// All that can be handed over instead of being copied.
function buffersOf(value, found = []) {
  if (ArrayBuffer.isView(value)) found.push(value.buffer);
  else if (value !== null && typeof value === "object") Object.values(value).forEach((v) => buffersOf(v, found));
  return found;
}

function serveJobs() {
  self.onmessage = async (event) => {
    const { id, job } = event.data;
    try {
      const result = await runJob(job);
      self.postMessage({ id, result }, [...new Set(buffersOf(result))]);
    } catch (error) {
      self.postMessage({ id, error: String(error.message || error) });
    }
  };
}
