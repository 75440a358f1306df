import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces an agent's program: records how it was started, then performs the play from the environment variable.
 * The variable is JSON: { notes?, plays: [{ lines?, writes?, stderr?, exit?, signal?, hang? }] }; the n-th start uses
 * the n-th play.
 * @param {{ variable: string, version: string, notesToo?: (args: string[]) => object }} program
 */
export function standIn({ variable, version, notesToo = () => ({}) }) {
  const args = process.argv.slice(2);
  if (args[0] === "--version") {
    console.log(process.env[`${variable}_VERSION`] ?? version);
    process.exit(0);
  }
  const { notes, plays } = JSON.parse(process.env[variable]);
  const earlier = notes && existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").length : 0;
  const note = { args, ...notesToo(args), stdin: readFileSync(0, "utf8"), env: process.env, cwd: process.cwd() };
  if (notes) appendFileSync(notes, `${JSON.stringify(note)}\n`);
  perform(plays[earlier]);
}

function perform({ lines = [], writes = [], stderr = "", exit = 0, signal, hang }) {
  for (const { path, contents } of writes) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  process.stderr.write(stderr);
  process.stdout.write(lines.map((line) => `${line}\n`).join(""), () => {
    if (hang) setInterval(() => undefined, 1000);
    else if (signal) process.kill(process.pid, signal);
    else process.exit(exit);
  });
}
