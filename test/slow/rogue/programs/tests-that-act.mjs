// Writes tests that act when isdlc runs them.
import { writeFileSync } from "node:fs";
import { evidence, note, play, program } from "./rogue.mjs";

const daemon = new URL("daemon.mjs", import.meta.url).pathname;
const root = process.cwd();

/** A test that acts and then passes. */
const acting = (code) => (task) => {
  if (task.phase !== "implement") return {};
  writeFileSync("test/answer.test.mjs", code);
  note("written");
  return {};
};

await play({
  "leave-daemon": acting(`import { spawnSync } from "node:child_process";
    spawnSync("setsid", ["--fork", process.execPath, ${JSON.stringify(daemon)}, ${JSON.stringify(evidence)}, ${JSON.stringify(program)}, "terminal-later", ${JSON.stringify(root)}],
      { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...JSON.parse(${JSON.stringify(JSON.stringify(pickFolders()))}) }, stdio: "ignore" });
    await new Promise((resolve) => setTimeout(resolve, 500));`),
  "read-token": acting(`import { createHash } from "node:crypto";
    import { appendFileSync, readdirSync, readFileSync } from "node:fs";
    const found = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).flatMap((pid) => {
      try {
        return [readFileSync("/proc/" + pid + "/environ", "latin1"), readFileSync("/proc/" + pid + "/cmdline", "latin1")];
      } catch { return []; }
    });
    const text = found.join("\\0");
    const digest = ([token]) => createHash("sha256").update(token).digest("hex");
    const note = { deed: "looked", tokens: [...text.matchAll(/isdlc_[\\w-]{43}/g)].map(digest), driver: text.includes("continue") };
    try { appendFileSync(${JSON.stringify(evidence)}, JSON.stringify(note) + "\\n"); } catch {}`),
});

function pickFolders() {
  const names = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
}
