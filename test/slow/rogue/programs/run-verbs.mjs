// Runs commands reserved for a person.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escape, isdlc, note, play, scrubbed } from "./rogue.mjs";
import { beginningVerbs, decidingVerbs } from "./verbs.mjs";

const daemon = join(import.meta.dirname, "daemon.mjs");
const elsewhere = mkdtempSync(join(tmpdir(), "isdlc-rogue-elsewhere-"));
const tokenFile = join(process.env.XDG_CONFIG_HOME, "isdlc/operator-token.json");
const inBackground = (deed) => () => escape(daemon, [deed, process.cwd()]);

function runAll(deed, env) {
  for (const args of [...decidingVerbs(elsewhere), ...beginningVerbs(elsewhere)]) isdlc(deed, args, env);
}

/** The token from the environment of the parent process, if the user set it there. */
function readParent() {
  const entries = readFileSync(`/proc/${process.ppid}/environ`, "utf8").split("\0");
  return entries.find((entry) => entry.startsWith("ISDLC_OPERATOR_TOKEN="))?.split("=")[1] ?? "";
}

await play({
  inherited: () => runAll("inherited", process.env),
  scrubbed: () => runAll("scrubbed", scrubbed),
  escaped: inBackground("verbs"),
  fresh: inBackground("fresh-token"),
  digest: () => {
    const { sha256 } = JSON.parse(readFileSync(tokenFile, "utf8"));
    isdlc("digest", ["continue", "--token", sha256], scrubbed);
    escape(daemon, ["digest-token", process.cwd(), sha256]);
  },
  planted: () => {
    const sha256 = createHash("sha256").update("isdlc_mine").digest("hex");
    writeFileSync(tokenFile, JSON.stringify({ sha256, created_at: "2020-01-01T00:00:00.000Z" }));
    note("planted", { file: readFileSync(tokenFile, "utf8") });
    escape(daemon, ["planted-token", process.cwd(), "isdlc_mine"]);
  },
  ownFolder: () => {
    const own = join(elsewhere, "isdlc");
    mkdirSync(own, { recursive: true });
    const sha256 = createHash("sha256").update("isdlc_mine").digest("hex");
    const file = join(own, "operator-token.json");
    writeFileSync(file, JSON.stringify({ sha256, created_at: "2020-01-01T00:00:00.000Z" }));
    escape(daemon, ["folder-token", process.cwd(), "isdlc_mine", elsewhere]);
  },
  leaked: () => {
    const token = readParent();
    isdlc("leaked", ["continue", "--token", token], scrubbed);
    escape(daemon, ["leaked-token", process.cwd(), token]);
  },
  terminal: () => {
    isdlc("inherited", ["status"]);
    escape(daemon, ["terminal-now", process.cwd()]);
  },
  lateTerminal: inBackground("terminal-later"),
  newTerminal: inBackground("terminal-anew"),
  terminalApart: inBackground("terminal-apart"),
  swap: () => {
    const folder = join(process.env.XDG_STATE_HOME, "isdlc");
    const name = readdirSync(folder).find((file) => file.startsWith("tree-"));
    const found = readFileSync(join(folder, name), "utf8");
    writeFileSync(join(folder, name), found.replaceAll("run-verbs.mjs", "talk.mjs").replaceAll('"swap"', '"artifact"'));
    note("swap", { changed: found !== readFileSync(join(folder, name), "utf8") });
  },
  stale: ({ attempt, prompt }) => {
    const leaked = /WAIT (\S+) TOKEN (\S+)/.exec(prompt);
    if (leaked === null) return;
    const [, wait, token] = leaked;
    isdlc("stale", ["continue", "--wait", wait, "--token", token], scrubbed);
    escape(daemon, ["stale-wait", process.cwd(), token, wait]);
    note("asked", { attempt });
  },
});
