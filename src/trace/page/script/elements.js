// Making elements. Text is only ever set as text.

// element("td", {class: "number"}, "12", otherElement)
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
  return made;
}

function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, text);
}

function byId(id) {
  return document.getElementById(id);
}

// A list of terms: pairs of a word and what it is; pairs whose second part is null are left out.
function termList(pairs, attributes = {}) {
  const list = element("dl", attributes);
  for (const [term, what] of pairs) {
    if (what === null || what === undefined || what === "") continue;
    list.append(element("div", {}, element("dt", {}, term), element("dd", {}, what)));
  }
  return list;
}

// A canvas of that many CSS pixels, sharp on the screen it is on; its context is scaled to them.
function sizedContext(canvas, width, height) {
  const ratio = Math.min(3, Math.max(1, window.devicePixelRatio || 1));
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// Calls back once per frame at most, however often it is asked.
function oncePerFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
