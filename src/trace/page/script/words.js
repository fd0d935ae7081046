// Numbers and names as people read them.

const LOCALITIES = ["local", "same domain", "remote", "unknown"];
// By runtime::Located: whose opinion it is that a grain's home is there.
const LOCATED = ["nobody", "the clause's data", "the name in depend", "its place in a series", "its place in a loop",
                 "a pointer among its arguments"];

// Three figures: 12.3, 4.56, 789.
function figures(value) {
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

function timeText(nanoseconds) {
  const units = ["ns", "\u00b5s", "ms", "s"];
  let value = nanoseconds;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit + 1 < units.length) {
    value /= 1000;
    unit++;
  }
  return (unit === 0 ? String(Math.round(value)) : figures(value)) + " " + units[unit];
}

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit + 1 < units.length) {
    value /= 1024;
    unit++;
  }
  return (unit === 0 ? String(value) : figures(value)) + " " + units[unit];
}

const grouped = new Intl.NumberFormat("en-US");

function countText(count) {
  return grouped.format(count);
}

function counted(count, one, many = one + "s") {
  return countText(count) + " " + (count === 1 ? one : many);
}

function shareText(share) {
  if (!Number.isFinite(share)) return "\u2013";
  const percent = share * 100;
  return (percent !== 0 && Math.abs(percent) < 9.95 ? percent.toFixed(1) : percent.toFixed(0)) + " %";
}

// What a number became, in per cent of what it was.
function changeText(before, after) {
  if (!(before > 0) || !Number.isFinite(after)) return "\u2013";
  const change = after / before - 1;
  if (Math.abs(change) < 0.0005) return "0 %";
  return (change > 0 ? "+" : "\u2212") + shareText(Math.abs(change));
}

// Names are others' text: control characters are shown instead of being obeyed.
function printable(text) {
  return String(text).replace(/[\u0000-\u001f\u007f]/g, (c) =>
    c === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

// What is copied may be pasted into a terminal, where control characters are commands.
function pasteable(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}

function shellWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

function commandText(words) {
  return printable(words.map(shellWord).join(" "));
}
