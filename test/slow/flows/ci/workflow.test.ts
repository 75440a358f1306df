import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSigner, finishedRun, type Signer } from "../../../attestation/two-homes.ts";
import { readYaml, type Yaml } from "./read-yaml.ts";
import { runGitlabJob, runWorkflow, type WorkflowEnd } from "./run-workflow.ts";
import { ciFolder, preReceive } from "./shell-steps.ts";

let ada: Signer;
let remote = "";
let env: Record<string, string> = {};
let number = 0;

/** A signed run on a host whose main branch has the templates of the guide. */
beforeAll(async () => {
  ada = await createSigner({ files: {} });
  cpSync(ciFolder, join(ada.root, "ci"), { recursive: true });
  ada.write("ci/allowed_signers", `${ada.signerLine("ada@example.org")}\n`);
  ada.write("ci/isdlc-policy.json", JSON.stringify({ people: ["ada@example.org"], gates: ["final"] }));
  ada.git("add", "--all");
  ada.git("commit", "--quiet", "--message", "Templates");
  remote = await finishedRun(ada, "pr");
  execFileSync("git", ["-C", remote, "config", "uploadpack.allowAnySHA1InWant", "true"]);
  const bin = join(ada.base, "bin");
  mkdirSync(bin);
  symlinkSync(await builtProgram(), join(bin, "isdlc"));
  const home = join(ada.base, "server");
  mkdirSync(home);
  const names = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "Ben"],
    [`GIT_${who}_EMAIL`, "ben@example.org"],
  ]);
  const path = [bin, process.env["PATH"] ?? ""].join(delimiter);
  env = { PATH: path, HOME: home, GIT_CONFIG_SYSTEM: "/dev/null", ...Object.fromEntries(names) };
}, 120_000);

const main = (): string => ada.git("rev-parse", "main");
const approved = (): string => ada.git("rev-parse", "change/add-a-greeting");

/** Adds a commit on the approved branch and pushes it like a contributor. */
function contribute(files: Readonly<Record<string, string>>): string {
  const folder = join(ada.base, `contributor-${++number}`);
  execFileSync("git", ["clone", "--quiet", "--branch", "change/add-a-greeting", remote, folder], { env });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  execFileSync("git", ["add", "--all"], { cwd: folder, env });
  execFileSync("git", ["commit", "--quiet", "--message", "Late"], { cwd: folder, env });
  execFileSync("git", ["push", "--quiet", "origin", `HEAD:refs/heads/late-${number}`], { cwd: folder, env });
  return execFileSync("git", ["rev-parse", "HEAD"], { cwd: folder, env, encoding: "utf8" }).trim();
}

const EVENTS: Readonly<Record<string, (base: string, head: string) => Yaml>> = {
  pull_request_target: (base, head) => ({ pull_request: { base: { sha: base }, head: { sha: head } } }),
  merge_group: (base, head) => ({ merge_group: { base_sha: base, head_sha: head } }),
  push: (before, after) => ({ before, after }),
};

function runEvent(event: string, head: string): WorkflowEnd {
  const workspace = join(ada.base, `workspace-${++number}`);
  const payload = EVENTS[event]?.(main(), head) ?? "";
  return runWorkflow(join(ciFolder, "github/workflow.yml"), { remote, workspace, env, event, payload });
}

const ALL_STEPS = ["actions/checkout", "actions/setup-node", "./ci/github", "run", "github/codeql-action/upload-sarif"];

describe.for(Object.keys(EVENTS))("the GitHub workflow on %s", (event) => {
  test("accepts an approved run, and runs each step", () => {
    const ended = runEvent(event, approved());
    expect(ended.text).toContain("The policy is kept.");
    expect(ended).toMatchObject({ ok: true, steps: ALL_STEPS });
  });

  test("refuses a commit after the last gate, with the judge and the rules of the base", () => {
    const head = contribute({
      "late.txt": "late\n",
      "ci/verify.sh": "exit 0\n",
      "ci/isdlc-policy.json": '{"commits":"agents"}',
      "ci/allowed_signers": "",
    });
    const ended = runEvent(event, head);
    expect(ended.text).toMatch(/commits: [0-9a-f]{12}: BY_HAND/);
    expect(ended).toMatchObject({ ok: false, steps: ALL_STEPS });
  });
});

describe("the GitLab job", () => {
  const run = (head: string) => {
    const call = { remote, workspace: join(ada.base, `gitlab-${++number}`), env };
    const variables = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_COMMIT_SHA: head };
    return runGitlabJob(join(ciFolder, "gitlab/isdlc.gitlab-ci.yml"), call, variables);
  };

  test("accepts an approved run", () => {
    expect(run(approved())).toMatchObject({ status: 0 });
  });

  test("refuses a commit after the last gate", () => {
    const ended = run(contribute({ "late.txt": "late\n", "ci/verify.sh": "exit 0\n" }));
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining("BY_HAND")]);
  });
});

describe("without a working git", () => {
  test("verify.sh does not fall back to the default policy", () => {
    const settings = join(ada.base, "settings");
    writeFileSync(settings, "damaged [");
    const ended = spawnSync("sh", [join(ciFolder, "verify.sh"), main(), approved()], {
      cwd: ada.root,
      env: { ...env, GIT_CONFIG_SYSTEM: settings, ISDLC_REMOTE: "" },
      encoding: "utf8",
    });
    expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining("cannot read ci/isdlc-policy.json")]);
  });

  test.for([
    ["existing", () => main()],
    ["new", () => "0".repeat(40)],
  ] as const)("the pre-receive hook refuses a push to the %s protected branch", ([, old]) => {
    const settings = join(ada.base, "settings");
    writeFileSync(settings, "damaged [");
    const ended = spawnSync("sh", ["-c", preReceive()], {
      cwd: ada.root,
      input: `${old()} ${approved()} refs/heads/main\n`,
      env: { ...env, GIT_CONFIG_SYSTEM: settings },
      encoding: "utf8",
    });
    expect(ended.status).toBe(1);
  });
});

test("the pre-receive hook verifies a new protected branch if HEAD names a missing branch", () => {
  const server = join(ada.base, "headless.git");
  execFileSync("git", ["clone", "--quiet", "--bare", remote, server], { env });
  execFileSync("git", ["-C", server, "symbolic-ref", "HEAD", "refs/heads/master"], { env });
  const hook = join(server, "hooks/pre-receive");
  writeFileSync(hook, preReceive().replace("ISDLC_BRANCHES:-main", "ISDLC_BRANCHES:-main release"));
  chmodSync(hook, 0o755);
  const head = contribute({ "late.txt": "late\n" });
  const push = ["push", server, `${head}:refs/heads/release`];
  const folder = join(ada.base, `contributor-${number}`);
  const ended = spawnSync("git", push, { cwd: folder, env, encoding: "utf8" });
  expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining("HEAD names no branch")]);
});

test.each(["a: &b c", "a: {b: c}", "a:\n    b: c", "- a\nb: c", "a: 'b'", "a: b\na: c", "a: b # c"])(
  "the reader of pipeline files rejects %j",
  (text) => {
    expect(() => readYaml(text)).toThrow("no YAML known here");
  },
);
