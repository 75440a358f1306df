// Records `isdlc demo --yes` in a real terminal (tmux) and writes docs/images/demo.svg: one group for each screen, shown
// in turn by CSS, without scripts. Usage: npm run record [-- <file>]
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const COLUMNS = 92;
const ROWS = 26;
const POLL_MS = 100;
const SHOWN_MS = { least: 400, most: 2500, last: 6000 };
const MAX_SCREENS = 60;
const MAX_BYTES = 400_000;
const CELL = { width: 8.4, height: 18, margin: 16 };
const COLORS = {
  31: "#e5686d",
  32: "#7fc77a",
  33: "#d9b45b",
  34: "#6ca8e8",
  35: "#c08be0",
  36: "#5fbfc4",
  90: "#8b949e",
};
const DIM = "#8b949e";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.argv[2] ?? join(root, "docs/images/demo.svg");
const base = mkdtempSync(join(tmpdir(), "isdlc-record-"));
const env = { PATH: process.env.PATH, HOME: base, TMPDIR: base, TERM: "xterm-256color", LC_ALL: "C.UTF-8", PS1: "$ " };
const socket = ["-u", "-S", join(base, "socket"), "-f", "/dev/null"];
const tmux = (...args) => execFileSync("tmux", [...socket, ...args], { encoding: "utf8", env });

try {
  const screens = thinned(await record());
  const picture = toSvg(screens);
  if (picture.length > MAX_BYTES) throw new Error(`The picture has ${picture.length} bytes, ${MAX_BYTES} at most.`);
  writeFileSync(target, picture);
  console.log(`${target}: ${screens.length} screens, ${Math.round(picture.length / 1000)} kB`);
} finally {
  spawnSync("tmux", [...socket, "kill-server"]);
  rmSync(base, { recursive: true, force: true });
}

/** Runs the demo. Returns each different screen with the milliseconds for which it was shown. */
async function record() {
  const program = `'${process.execPath}' '${join(root, "dist/bin/isdlc.cjs")}'`;
  tmux("new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), "bash", "--norc", "--noprofile");
  tmux("send-keys", `isdlc() { ${program} "$@"; }; clear`, "Enter");
  await delay(1000);
  tmux("send-keys", "isdlc demo --yes", "Enter");
  const isRunning = () => tmux("display-message", "-p", "#{pane_current_command}").trim() !== "bash";
  while (!isRunning()) await delay(POLL_MS);
  const screens = [];
  for (let since = performance.now(), isOver = false; !isOver; await delay(POLL_MS)) {
    isOver = !isRunning();
    const text = tmux("capture-pane", "-p", "-e");
    const now = performance.now();
    if (screens.length > 0) screens.at(-1).shown = now - since;
    if (text === screens.at(-1)?.text) continue;
    screens.push({ text, shown: 0 });
    since = now;
  }
  return screens;
}

/** Keeps the first, the last, and those that were shown longest, with a readable duration. */
function thinned(screens) {
  const weight = (screen) => (screen === screens[0] || screen === screens.at(-1) ? Infinity : screen.shown);
  const kept = new Set(screens.toSorted((one, other) => weight(other) - weight(one)).slice(0, MAX_SCREENS));
  return screens
    .filter((screen) => kept.has(screen))
    .map(({ text, shown }, at, all) => {
      const readable = Math.min(Math.max(shown, SHOWN_MS.least), SHOWN_MS.most);
      return { text, shown: Math.round(at === all.length - 1 ? SHOWN_MS.last : readable) };
    });
}

function toSvg(screens) {
  const total = screens.reduce((sum, { shown }) => sum + shown, 0);
  const [width, height] = [COLUMNS * CELL.width + 2 * CELL.margin, ROWS * CELL.height + 2 * CELL.margin];
  let before = 0;
  const rules = [];
  const groups = screens.map(({ text, shown }, at) => {
    const percent = (time) => ((100 * time) / total).toFixed(3);
    const [from, to] = [percent(before), percent(before + shown)];
    const hidden = at === 0 ? "" : "0%{visibility:hidden}";
    rules.push(`@keyframes s${at}{${hidden}${from}%{visibility:visible}${to}%{visibility:hidden}}`);
    before += shown;
    const still = at === screens.length - 1 ? ' class="last"' : ""; // shown if the reader wants no motion
    return `<g id="s${at}"${still} style="animation-name:s${at}">${toLines(text)}</g>`;
  });
  const style = [
    `g{visibility:hidden;animation:${total}ms step-end infinite}`,
    `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d7dde4}`,
    ...Object.entries(COLORS).map(([code, color]) => `.c${code}{fill:${color}}`),
    `.b{font-weight:bold}.d{fill:${DIM}}`,
    "@media (prefers-reduced-motion:reduce){g{animation:none}g.last{visibility:visible}}",
    ...rules,
  ].join("\n");
  const title = "The demo of isdlc in a terminal: phases with checks and reviews, and gates that a person answers";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>
${style}
</style>
<rect width="100%" height="100%" rx="8" fill="#0f1419"/>
${groups.join("\n")}
</svg>
`;
}

/** Draws the rows of a screen. Colors and weights become classes; every other control sequence is dropped. */
function toLines(screen) {
  return screen
    .split("\n")
    .slice(0, ROWS)
    .map((line, row) => {
      const spans = toSpans(line);
      if (spans === "") return "";
      return `<text x="${CELL.margin}" y="${CELL.margin + (row + 1) * CELL.height - 5}">${spans}</text>`;
    })
    .join("");
}

function toSpans(line) {
  let classes = new Set();
  // oxlint-disable-next-line no-control-regex -- matches the escape character
  const parts = line.trimEnd().split(/\u001b\[([0-9;]*)m/);
  return parts
    .map((part, at) => {
      if (at % 2 === 1) {
        classes = changed(classes, part);
        return "";
      }
      if (part === "") return "";
      const text = escapeXml(part);
      return classes.size === 0 ? text : `<tspan class="${[...classes].join(" ")}">${text}</tspan>`;
    })
    .join("");
}

function changed(classes, codes) {
  let now = new Set(classes);
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) now = new Set();
    if (code === 1) now.add("b");
    if (code === 2) now.add("d");
    if (code === 22) for (const name of ["b", "d"]) now.delete(name);
    if (code === 39 || code in COLORS) now = new Set([...now].filter((name) => !name.startsWith("c")));
    if (code in COLORS) now.add(`c${code}`);
  }
  return now;
}

function escapeXml(text) {
  // oxlint-disable-next-line no-control-regex -- nothing invisible is allowed in XML
  const visible = text.replaceAll(/[\u0000-\u001f\u007f]/g, "");
  return visible.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
