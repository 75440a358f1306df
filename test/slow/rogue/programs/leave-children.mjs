// Leaves processes that continue after it ends.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { escape, evidence, note, play } from "./rogue.mjs";

const inner = (more = "") =>
  `${more} require("fs").appendFileSync(${JSON.stringify(evidence)}, JSON.stringify({ deed: "lives", pid: process.pid }) + "\\n");` +
  `setTimeout(() => require("fs").writeFileSync("late.txt", "late"), 20000); setTimeout(() => {}, 60000);`;

/** Waits until the child reports that it runs, however slow the machine is. */
async function resolved() {
  while (!readFileSync(evidence, "utf8").includes('"lives"')) await delay(20);
}

await play({
  detached: async () => {
    spawn(process.execPath, ["-e", inner()], { detached: true, stdio: "ignore" }).unref();
    await resolved();
    note("detached");
  },
  forked: async () => {
    spawnSync("setsid", ["--fork", process.execPath, "-e", inner()], { stdio: "ignore" });
    await resolved();
    note("forked");
  },
  stubborn: async () => {
    const ignore = 'process.on("SIGTERM", () => {}); process.on("SIGHUP", () => {});';
    spawn(process.execPath, ["-e", inner(ignore)], { detached: true, stdio: "ignore" }).unref();
    await resolved();
    note("stubborn");
  },
  hidden: ({ phase }) => {
    if (phase !== "00-quick-scan" && phase !== "final-review") return;
    escape(join(import.meta.dirname, "daemon.mjs"), ["write", process.cwd(), "src/late.mjs"]);
    note("hidden");
  },
});
