import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../../adapters/project-files/package-root.ts";
import { gitFailed, lastWords, runGit } from "../../../adapters/git/process/run-git.ts";
import { OWN, OWN_FOLDER } from "../../../core/own-folder.ts";

/** A temporary location: `root` is the sample project, and everything is under `folder`. */
export type SampleProject = {
  readonly folder: string;
  readonly root: string;
  /** Leaves the folder when the process exits. */
  readonly keep: () => void;
  readonly remove: () => void;
};

const GIT_MILLISECONDS = 30_000;

/** Creates an empty folder, removed at any exit of the process unless it is kept. */
export function createSampleProject(): SampleProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-demo-")));
  let isKept = false;
  const remove = (): void => {
    process.off("exit", remove);
    if (!isKept) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
  process.on("exit", remove);
  return { folder, root: join(folder, "corner-shop"), keep: () => (isKept = true), remove };
}

/** Three gates keep the demo short: after the design, after the code, and before the end. */
const SETTINGS = { supervised_mode: { enabled: true, review_phases: ["03", "06", "08"] } };

/** Copies the sample project, commits it on `main`, and writes the supervision settings that a user would choose. */
export async function fillSample(root: string, environment: NodeJS.ProcessEnv): Promise<void> {
  copyFiles(join(packageRoot(), "demo", "sample"), root);
  const steps = [
    ["init", "--quiet", "--template="],
    ["symbolic-ref", "HEAD", "refs/heads/main"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "Cart, shipping and receipt"],
  ];
  for (const args of steps) {
    const result = await runGit({ cwd: root, args, environment, timeoutMs: GIT_MILLISECONDS });
    if (result.status !== 0) throw gitFailed(args[0] ?? "", lastWords(result));
  }
  mkdirSync(join(root, OWN_FOLDER));
  writeFileSync(join(root, OWN_FOLDER, OWN.state), `${JSON.stringify(SETTINGS, null, 2)}\n`);
}

export const recordingFile = (): string => join(packageRoot(), "demo", "recording.json");

/** Copies contents without permissions: an installed package may be read-only, the sample is not. */
function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFiles(source, target);
    else writeFileSync(target, readFileSync(source));
  }
}
