// Writes outside its scope.
import { closeSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { note, play, write } from "./rogue.mjs";

/** Path of the real working tree, next to the evidence file. */
const tree = join(process.argv[2], "../tree");

await play({
  source: () => {
    writeFileSync("src/app.mjs", "export const answer = 43;\n");
    write("src/extra.mjs", "export {};\n");
    note("source");
  },
  copy: () => {
    writeFileSync("src/app.mjs", "reviewed and changed\n");
    note("copy", { cwd: process.cwd(), found: readdirSync(".") });
  },
  real: () => {
    writeFileSync(join(tree, "src/app.mjs"), "reviewed and changed\n");
    note("real", { cwd: process.cwd() });
  },
  kernel: () => note("kernel", { isOpen: opensForWriting("/proc/sys/kernel/core_pattern") }),
  crash: ({ iteration }) => {
    writeFileSync(join(tree, "src/planted.mjs"), "planted by a reviewer\n");
    note("crash", { iteration });
    process.exitCode = 3;
    return null;
  },
});

/** A file that can be opened for writing can be written; the setting itself stays unchanged. */
function opensForWriting(file) {
  try {
    closeSync(openSync(file, "r+"));
    return true;
  } catch {
    return false;
  }
}
