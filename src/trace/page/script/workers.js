// Work beside the page: Web Workers made of the page's own code, or the page where there are none.

function workerSource() {
  return byId("worker-code").textContent + "\nserveJobs();\n";
}

function startWorker() {
  const address = URL.createObjectURL(new Blob([workerSource()], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

// Has ask(job, transfer), a promise of the job's result, and end().
function makeHelper() {
  let worker;
  try {
    worker = startWorker();
  } catch {
    return { ask: runJob, end() {} };
  }
  const waiting = new Map();
  let next = 0;
  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) resolve(data.result);
    else reject(new Error(data.error));
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || "a worker failed"));
    waiting.clear();
  };
  return {
    ask(job, transfer) {
      return new Promise((resolve, reject) => {
        waiting.set(next, { resolve, reject });
        worker.postMessage({ id: next++, job }, transfer);
      });
    },
    end() { worker.terminate(); },
  };
}

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
