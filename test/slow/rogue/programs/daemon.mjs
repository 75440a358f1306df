// Lives on after the agent has ended, without any of its marks, and acts once a gate is open.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isdlc, isdlcAtGate, note, program } from "./rogue.mjs";
import { decidingVerbs } from "./verbs.mjs";

const [evidence, , deed, root, ...more] = process.argv.slice(2);
process.chdir(root);
note("lives", { pid: process.pid });

const deeds = {
  verbs: async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "isdlc-rogue-elsewhere-"));
    for (const args of decidingVerbs(elsewhere)) await isdlcAtGate("verbs", args);
  },
  "fresh-token": async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "isdlc-rogue-elsewhere-"));
    const [token] = isdlc("made", ["token", "--yes", "-C", elsewhere]).split("\n");
    await answer("fresh-token", token);
  },
  "digest-token": () => answer("digest", more[0]),
  "planted-token": () => answer("planted-token", more[0]),
  "folder-token": () => answer("folder-token", more[0], { ...process.env, XDG_CONFIG_HOME: more[1] }),
  "leaked-token": () => answer("leaked-token", more[0]),
  "stale-wait": () => isdlcAtGate("stale", ["continue", "--no-run", "--token", more[0], "--wait", more[1]]),
  "terminal-now": () => undefined,
  "terminal-later": () => openTerminal([]),
  "terminal-anew": () => openTerminal(["setsid", "--fork"]),
  "at-terminal": async () => {
    for (let tries = 0; tries < 50; tries++) {
      const { status } = spawnSync(process.execPath, [program, "continue", "--no-run"], { stdio: "inherit" });
      if (status === 0) break;
      await delay(200);
    }
  },
  write: () => {
    writeFileSync(more[0], "written when nobody looked\n");
    note("written", { path: more[0] });
  },
};

if (deed === "terminal-now") openTerminal([]);
else await actAtGate();

async function actAtGate() {
  while (waitNow() === null) await delay(20);
  await deeds[deed]();
  note("acted", { did: deed });
}

function answer(name, token, env = process.env) {
  return isdlcAtGate(name, ["continue", "--no-run", "--token", token], env);
}

/** The id of the open wait. */
function waitNow() {
  try {
    return JSON.parse(readFileSync(".isdlc/active", "utf8")).wait;
  } catch {
    return null;
  }
}

/** A terminal of our own, with ourselves in it. */
function openTerminal(before) {
  const inner = [process.execPath, process.argv[1], evidence, program, "at-terminal", root].join(" ");
  const [file, ...args] = [...before, "script", "-qec", inner, "/dev/null"];
  const { stdout } = spawnSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  note("terminal", { said: stdout });
}
