// Leaves processes behind that go on after it has ended.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { escape, evidence, note, play } from "./rogue.mjs";

const inner = (more = "") =>
  `${more} require("fs").appendFileSync(${JSON.stringify(evidence)}, JSON.stringify({ deed: "lives", pid: process.pid }) + "\\n");` +
  `setTimeout(() => require("fs").writeFileSync("late.txt", "late"), 8000); setTimeout(() => {}, 60000);`;

/** Until the child has said that it lives. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 700));

await play({
  detached: async () => {
    spawn(process.execPath, ["-e", inner()], { detached: true, stdio: "ignore" }).unref();
    await settled();
    note("detached");
  },
  forked: async () => {
    spawnSync("setsid", ["--fork", process.execPath, "-e", inner()], { stdio: "ignore" });
    await settled();
    note("forked");
  },
  stubborn: async () => {
    const ignore = 'process.on("SIGTERM", () => {}); process.on("SIGHUP", () => {});';
    spawn(process.execPath, ["-e", inner(ignore)], { detached: true, stdio: "ignore" }).unref();
    await settled();
    note("stubborn");
  },
  hidden: ({ phase }) => {
    if (phase !== "00-quick-scan" && phase !== "final-review") return;
    escape(join(import.meta.dirname, "daemon.mjs"), ["write", process.cwd(), "src/late.mjs"]);
    note("hidden");
  },
});
