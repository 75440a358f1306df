import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a repository with one committed file for an agent. The caller removes it. */
export function createSampleRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-repository-"));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
  writeFileSync(join(folder, "README.md"), "# Sample\n");
  execFileSync("git", ["init", "-q", folder], { env });
  execFileSync("git", ["-C", folder, "add", "."], { env });
  execFileSync("git", ["-C", folder, ...who, "commit", "-qm", "first"], { env });
  return folder;
}
