// Light and dark, and the colours as the canvases need them.

const themeListeners = [];
let isPrinting = false;

function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const toggle = byId("theme");
  toggle.textContent = name === "dark" ? "Light" : "Dark";
  toggle.setAttribute("aria-pressed", String(name === "dark"));
  themeListeners.forEach((listener) => listener());
}

function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => setTheme(system.matches ? "dark" : "light");
  let chosen = false;
  system.addEventListener("change", () => { if (!chosen) follow(); });
  byId("theme").addEventListener("click", () => {
    chosen = true;
    setTheme(isDark() ? "light" : "dark");
  });
  byId("print").addEventListener("click", () => window.print());
  startPrinting();
  follow();
}

// Paper is white, whatever the screen is; and the canvases are pictures by then.
function startPrinting() {
  let before = "light";
  window.addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    isPrinting = true;
    setTheme("light");
  });
  window.addEventListener("afterprint", () => {
    isPrinting = false;
    setTheme(before);
  });
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// By kind of time: the localities, waiting, dimmed.
const KIND_NAMES = ["local", "same", "remote", "unknown", "waiting", "dimmed"];

// As a pixel of an ImageData holds it (all machines that have browsers are little-endian).
function pixelOf(hex) {
  const rgb = parseInt(hex.slice(1), 16);
  return (0xff000000 | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16) >>> 0;
}

// The pattern that tells a locality apart where colours do not, at (x, y) in pixels.
function isMarked(kind, x, y) {
  switch (kind) {
    case 1: return y % 5 === 2;
    case 2: return (x + y) % 5 === 0;
    case 3: return x % 5 === 2 && y % 5 === 2;
    default: return false;
  }
}

// A locality as a fill of a canvas.
function fillOf(context, kind) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 5;
  const brush = tile.getContext("2d");
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) {
      brush.fillStyle = colour(KIND_NAMES[kind] + (isMarked(kind, x, y) ? "-mark" : ""));
      brush.fillRect(x, y, 1, 1);
    }
  }
  return context.createPattern(tile, "repeat");
}

// Sample of a locality's colour and pattern, for legends and tables.
function swatch(kind) {
  return element("span", { class: "swatch " + KIND_NAMES[kind], "aria-hidden": "true" });
}
