import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { nodeFiles, type FileSystem } from "../../../../src/adapters/files/file-system.ts";
import { createFileJournal } from "../../../../src/adapters/journal/create-file-journal.ts";
import { createFileAnchors } from "../../../../src/adapters/files/anchors.ts";
import { sealWith } from "../../../../src/adapters/files/user-key.ts";
import { decide } from "../../../../src/core/decide/decide.ts";
import { begin, mark } from "../../../journal-file/sample-commands.ts";

/**
 * journal-decisions <tree> <user directory> <run> [<file for the calls>]: starts a run, decides twice, prints each
 * acknowledgement, and records every file call.
 */
const [root = "", user = "", run = "", callsFile] = process.argv.slice(2);
const calls: string[] = [];
const files = Object.fromEntries(
  Object.entries(nodeFiles).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name);
      return (call as (...args: unknown[]) => unknown)(...args);
    },
  ]),
) as unknown as FileSystem;

const journal = createFileJournal({
  directory: join(root, ".isdlc", "journal"),
  anchors: createFileAnchors(user, root, files),
  seal: sealWith(Buffer.alloc(32, 7)),
  decide,
  clock: { now: () => new Date().toISOString() },
  version: "1",
  files,
});

await journal.create(run, begin(run));
writeSync(1, "begun\n");
for (const name of ["m1", "m2"]) {
  await journal.submit(run, mark(name));
  writeSync(1, `${name}\n`);
}
journal.close();
if (callsFile !== undefined) writeFileSync(callsFile, JSON.stringify(calls));
