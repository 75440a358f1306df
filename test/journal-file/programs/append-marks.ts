import { createFileJournal } from "../../../src/adapters/journal/create-file-journal.ts";
import { createFileAnchors } from "../../../src/adapters/files/anchors.ts";
import { loadUserKey, sealWith } from "../../../src/adapters/files/user-key.ts";
import { decide } from "../../../src/core/decide/decide.ts";
import { mark } from "../sample-commands.ts";
import { join } from "node:path";
import { writeSync } from "node:fs";

/**
 * append-marks <tree> <user directory> <run> <name> <count>: appends marks and prints each after its
 * acknowledgement.
 */
const [root = "", user = "", run = "", name = "", count = "0"] = process.argv.slice(2);

const journal = createFileJournal({
  directory: join(root, ".isdlc", "journal"),
  anchors: createFileAnchors(user, root),
  seal: sealWith(loadUserKey(user)),
  decide,
  clock: { now: () => new Date().toISOString() },
  version: "1",
  patience: 60_000,
});

for (let number = 1; number <= Number(count); number++) {
  await journal.submit(run, mark(`${name}-${number}`));
  writeSync(1, `${name}-${number}\n`);
}
