import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureFolder, replaceFile } from "../../adapters/file-system/file-system.ts";
import type { LocalProject } from "../../compose/project.ts";

const IGNORE = "*\n!workflows.json\n";

/** Creates `.isdlc/` with its own ignore file; says what it wrote. Doing it again changes nothing. */
export function setUp({ root, files }: LocalProject): readonly string[] {
  const own = join(root, ".isdlc");
  const ignore = join(own, ".gitignore");
  if (existsSync(ignore)) return [];
  ensureFolder(files, own);
  replaceFile(files, ignore, Buffer.from(IGNORE));
  return [".isdlc/.gitignore"];
}
