// Drives one run after another with an agent that answers at once, and fails if memory, files or refs grow.
// npm run soak -- --minutes 60
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "1" } } });
const root = fileURLToPath(new URL("..", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "isdlc-soak-"));
const place = {
  /** A copy: a concurrent build would replace the original. */
  package: join(base, "package"),
  tree: join(base, "tree"),
  temporary: join(base, "tmp"),
  told: join(base, "told.json"),
};
const env = {
  PATH: process.env.PATH,
  HOME: base,
  TMPDIR: place.temporary,
  ISDLC_SANDBOX: "off", // the agent writes its log outside of the working tree
};
/** Number of runs until caches are filled and git has packed once. */
const WARM_UP = 3;
/** Runs per median, because the memory of one process varies. */
const TAKEN_TOGETHER = 5;
const MOST_GROWTH = 1.15;
/** Number of progress lines. */
const TOLD = 10;

/** Makes the program report its peak memory and its open files at exit. */
const TELLER = `process.on("exit", () => {
  const { readdirSync, writeFileSync } = require("node:fs");
  const handles = process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
  writeFileSync(${JSON.stringify(place.told)}, JSON.stringify({ memory: process.resourceUsage().maxRSS, handles }));
});`;

try {
  process.exitCode = soak(Number(values.minutes));
} finally {
  rmSync(base, { recursive: true, force: true });
}

function soak(minutes) {
  prepare();
  const samples = [];
  const began = Date.now();
  const passed = () => (Date.now() - began) / 60_000;
  let told = 0;
  while (passed() < minutes || samples.length < WARM_UP + 2 * TAKEN_TOGETHER) {
    drive(samples.length + 1);
    samples.push(sample());
    if (passed() < (told * minutes) / TOLD) continue;
    told = Math.ceil((passed() / minutes) * TOLD);
    console.log(`${passed().toFixed(1)} minutes, ${samples.length} runs: ${JSON.stringify(samples.at(-1))}`);
  }
  const first = medians(samples.slice(WARM_UP, WARM_UP + TAKEN_TOGETHER));
  const last = medians(samples.slice(-TAKEN_TOGETHER));
  console.log(`${samples.length} runs: ${JSON.stringify(first)} at the beginning, ${JSON.stringify(last)} at the end`);
  const grown = Object.keys(first).filter((name) => last[name] > first[name] * (name === "memory" ? MOST_GROWTH : 1));
  for (const name of grown) console.error(`${name} grew from ${first[name]} to ${last[name]}`);
  return grown.length === 0 ? 0 : 1;
}

function medians(samples) {
  const middle = (name) => samples.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(samples.length / 2)];
  return Object.fromEntries(Object.keys(samples[0]).map((name) => [name, middle(name)]));
}

function prepare() {
  for (const part of ["dist/bin", "workflows", "agents", "package.json", "bench/instant-agent.mjs"])
    cpSync(join(root, part), join(place.package, part), { recursive: true });
  mkdirSync(place.tree);
  mkdirSync(place.temporary);
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Soak");
  git("config", "user.email", "soak@example.org");
  for (let number = 0; number < 200; number++) writeFileSync(join(place.tree, `file-${number}.txt`), `${number}\n`);
  git("add", "--all");
  git("commit", "--quiet", "--message", "First");
  writeFileSync(join(base, "teller.cjs"), TELLER);
}

function drive(number) {
  const agent = [process.execPath, join(place.package, "bench", "instant-agent.mjs"), join(base, "log")];
  const command = agent.map((part) => `"${part}"`).join(" ");
  const program = join(place.package, "dist", "bin", "isdlc.cjs");
  const options = ["--agent-command", command, "--tests", "without", "--yes", "--json"];
  const args = [
    "--require",
    join(base, "teller.cjs"),
    program,
    "feature",
    `Show the hours of day ${number}`,
    ...options,
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: place.tree, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`run ${number} ended with ${status}: ${stderr}${stdout.slice(-2000)}`);
  git("switch", "--quiet", "main");
}

function sample() {
  const { memory, handles } = JSON.parse(readFileSync(place.told, "utf8"));
  const refs = git("for-each-ref", "--format=%(refname)", "refs/isdlc").split("\n");
  return {
    memory,
    handles,
    temporary: readdirSync(place.temporary).length,
    refs: refs.filter((ref) => ref !== "" && !ref.startsWith("refs/isdlc/ids/")).length, // reserved numbers are permanent
    left: readdirSync(join(place.tree, ".git", "isdlc")).length,
  };
}

function git(...args) {
  return execFileSync("git", args, { cwd: place.tree, env, encoding: "utf8" });
}
