// Outlives the agent without its markers, and acts as soon as a gate is open.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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
  "terminal-apart": openTerminalApart,
  "at-terminal": async () => {
    for (let [tries, atGate] = [0, 0]; tries < 50 && atGate < 5; tries++) {
      if (waitNow() !== null) atGate++;
      const { status } = spawnSync(process.execPath, [program, "continue", "--no-run"], { stdio: "inherit" });
      if (status === 0) break;
      await delay(200);
    }
  },
  commit: () => plant(branch(), "planted.txt"),
  head: () => writeFileSync(".git/HEAD", "nowhere\n"),
  worktree: () => execFileSync("git", ["config", "core.worktree", tmpdir()]),
  write: () => {
    writeFileSync(more[0], "written without a witness\n");
    note("written", { path: more[0] });
  },
};

/** Commits a file on top of a ref without touching the working tree. */
function plant(ref, path, onto = ref) {
  const git = (args, input = "") => execFileSync("git", args, { encoding: "utf8", input }).trim();
  const env = { ...process.env, GIT_INDEX_FILE: join(mkdtempSync(join(tmpdir(), "isdlc-rogue-index-")), "index") };
  const own = (...args) => execFileSync("git", args, { encoding: "utf8", env }).trim();
  own("read-tree", onto);
  own("update-index", "--add", "--cacheinfo", `100644,${git(["hash-object", "-w", "--stdin"], "planted\n")},${path}`);
  const who = ["-c", "user.name=Rogue", "-c", "user.email=rogue@example.org"];
  const commit = git([...who, "commit-tree", "-p", onto, "-m", "Planted", own("write-tree")]);
  git(["update-ref", ref, commit]);
  note("planted", { ref, path });
}

const branch = () =>
  execFileSync("git", ["for-each-ref", "--format=%(refname)", "refs/heads"], { encoding: "utf8" })
    .split("\n")
    .find((ref) => ref !== "" && ref !== "refs/heads/main");

function journalText() {
  const folder = ".isdlc/journal";
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");
}

if (deed === "terminal-now") openTerminal([]);
else if (deed === "after-look")
  await actAfter(/"type":"phase.accepted"/, () => writeFileSync("src/late.mjs", "planted\n"));
else if (deed === "at-review") await actAfter(/"choice":"review"/, () => writeFileSync("src/late.mjs", "planted\n"));
else if (deed === "at-finish-head")
  await actAfter(/"type":"finish.asked"/, () => {
    plant("refs/heads/planted", "planted.txt", "HEAD");
    writeFileSync(".git/HEAD", execFileSync("git", ["rev-parse", "refs/heads/planted"]));
  });
else if (deed === "at-finish-branch") await actAfter(/"type":"finish.asked"/, () => plant(branch(), "planted.txt"));
else if (deed === "at-finish-base")
  await actAfter(/"type":"finish.asked"/, () => plant("refs/heads/main", "planted.txt"));
else await actAtGate();

async function actAfter(pattern, act) {
  while (!pattern.test(journalText())) await delay(1);
  act();
  note("acted", { did: deed });
}

async function actAtGate() {
  while (waitNow() === null) await delay(20);
  await deeds[deed]();
  note("acted", { did: deed });
}

function answer(name, token, env = process.env) {
  return isdlcAtGate(name, ["continue", "--no-run", "--token", token], env);
}

/** Id of the open wait. */
function waitNow() {
  try {
    return JSON.parse(readFileSync(".isdlc/active", "utf8")).wait;
  } catch {
    return null;
  }
}

function selfAtTerminal() {
  return [process.execPath, process.argv[1], evidence, program, "at-terminal", root];
}

/** Opens a terminal in a new process namespace, whose first process has no ancestors. */
function openTerminalApart() {
  const python = `import os, subprocess, sys
ours, theirs = os.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs)
os.close(theirs)
try:
    while data := os.read(ours, 65536):
        os.write(1, data)
except OSError:
    child.wait()`;
  const apart = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "setsid", "--ctty"];
  const { stdout } = spawnSync("python3", ["-c", python, ...apart, ...selfAtTerminal()], { encoding: "utf8" });
  note("terminal", { said: stdout });
}

/** Opens a new terminal that runs this program. */
function openTerminal(before) {
  const inner = selfAtTerminal().join(" ");
  const [file, ...args] = [...before, "script", "-qec", inner, "/dev/null"];
  const { stdout } = spawnSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  note("terminal", { said: stdout });
}
