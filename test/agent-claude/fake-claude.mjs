#!/usr/bin/env node
// Stands in for Claude Code: notes down how it was started, then plays what FAKE_CLAUDE names.
// FAKE_CLAUDE is JSON: { notes?, plays: [{ lines?, writes?, stderr?, exit?, signal?, hang? }] }; the n-th start has the
// n-th play.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

if (process.argv[2] === "--version") {
  console.log(process.env.FAKE_CLAUDE_VERSION ?? "9.9.9 (Claude Code)");
  process.exit(0);
}
const { notes, plays } = JSON.parse(process.env.FAKE_CLAUDE);
const earlier = notes && existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").length : 0;
const note = { args: process.argv.slice(2), stdin: readFileSync(0, "utf8"), env: process.env, cwd: process.cwd() };
if (notes) appendFileSync(notes, `${JSON.stringify(note)}\n`);

const play = plays[earlier];
for (const { path, contents } of play.writes ?? []) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
process.stderr.write(play.stderr ?? "");
process.stdout.write((play.lines ?? []).map((line) => `${line}\n`).join(""), () => {
  if (play.hang) setInterval(() => undefined, 1000);
  else if (play.signal) process.kill(process.pid, play.signal);
  else process.exit(play.exit ?? 0);
});
