import { join } from "node:path";
import { createCheckRunner, type CheckRunnerOptions } from "../../src/adapters/checks/create-check-runner.ts";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { sandboxAvailable } from "../../src/adapters/sandbox/sandbox-available.ts";
import { type TestNeeds, testSandbox } from "../../src/adapters/sandbox/test-sandbox.ts";
import type { TestRequest } from "../../src/ports/check-runner.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import type { CheckResult } from "../../src/schema/facts.ts";
import { createPlace, type SandboxFixture } from "../sandbox/sandbox-fixture.ts";

export const NOTHING: TestNeeds = { network: false, read: [], write: [] };

export type Project = {
  readonly place: SandboxFixture;
  readonly workspace: Workspace;
  /** Writes a file into the working tree. */
  write(path: string, contents: string): void;
  /** Runs a command as the tests of a snapshot, by default of the current tree. */
  run(argv: readonly string[], more?: More): Promise<CheckResult>;
};

type More = Partial<Pick<TestRequest, "tree" | "earlier">> & {
  readonly needs?: TestNeeds;
  readonly options?: Partial<CheckRunnerOptions>;
};

/** A repository whose tests run in the sandbox, with a user's home folder and keys around it. */
export function sandboxedProject(place = createPlace()): Project {
  const available = sandboxAvailable(process.env);
  if (!available.ok) throw new Error(`${available.why}: ${available.fix}`);
  const { tree: root, home } = place;
  const workspace = createGitWorkspace(root, { run: "1", env: process.env });
  const write = (path: string, contents: string): void => place.put(`tree/${path}`, contents);
  write(".gitignore", "node_modules\n.env\n__pycache__\n.isdlc\n.venv\ndist\n");
  return {
    place,
    workspace,
    write,
    async run(argv, { tree, earlier, needs = NOTHING, options = {} } = {}) {
      const env = { ...process.env, HOME: home };
      const runner = createCheckRunner(root, {
        env,
        redact: (text) => text,
        workspace,
        sandbox: {
          offline: !needs.network,
          around: (command, folder) =>
            testSandbox(
              {
                root,
                gitDirs: [join(root, ".git")],
                home,
                path: process.env["PATH"] ?? "",
                command,
                secret: [place.config, place.state],
                needs,
                bwrap: available.bwrap,
              },
              folder,
            ),
        },
        ...options,
      });
      const request = {
        command: { argv: [...argv], source: "here", digest: "x" },
        tree: tree === undefined ? await workspace.now([]) : tree,
        ...(earlier === undefined ? {} : { earlier }),
      };
      return runner.runTests(request, new AbortController().signal);
    },
  };
}
