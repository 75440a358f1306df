import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml, type Yaml } from "./read-yaml.ts";

type Environment = Readonly<Record<string, string>>;

export type WorkflowCall = {
  /** Repository on the host. */
  readonly remote: string;
  /** Folder of the job; it must not exist. */
  readonly workspace: string;
  /** Branch of a pull request, which the host fetches by its commit id. */
  readonly env: Environment;
  readonly event: string;
  /** The `github.event` of the expressions. */
  readonly payload: Yaml;
};

export type WorkflowEnd = { readonly ok: boolean; readonly text: string; readonly steps: readonly string[] };

type Job = WorkflowCall & {
  readonly steps: string[];
  readonly contexts: { readonly github: Yaml; readonly inputs: Yaml };
  text: string;
  ok: boolean;
};

const get = (value: Yaml | undefined, key: string): Yaml | undefined =>
  typeof value === "object" && !Array.isArray(value) ? (value as Readonly<Record<string, Yaml>>)[key] : undefined;
const nodeText = (value: Yaml | undefined): string => (typeof value === "string" ? value : "");
const nodeList = (value: Yaml | undefined): readonly Yaml[] => (Array.isArray(value) ? (value as readonly Yaml[]) : []);

/** Runs the only job of a workflow like GitHub: with a checkout, and the action as the checked-out commit has it. */
export function runWorkflow(file: string, call: WorkflowCall): WorkflowEnd {
  const workflow = readYaml(readFileSync(file, "utf8"));
  if (get(get(workflow, "on"), call.event) === undefined) throw new Error(`the workflow does not run on ${call.event}`);
  const github = { event: call.payload, action_path: join(call.workspace, "ci/github") };
  const job: Job = { ...call, contexts: { github, inputs: {} }, steps: [], text: "", ok: true };
  for (const step of nodeList(get(get(get(workflow, "jobs"), "verify"), "steps"))) runStep(job, step);
  return { ok: job.ok, text: job.text, steps: job.steps };
}

function runStep(job: Job, step: Yaml): void {
  const condition = nodeText(get(step, "if"));
  if (condition !== "" && condition !== "always()") throw new Error(`the condition ${condition} is unknown here`);
  if (!job.ok && condition === "") return;
  const name = nodeText(get(step, "uses")).replace(/@v\d+$/, "");
  job.steps.push(name === "" ? "run" : name);
  const use = name === "" ? runScript : USES[name];
  if (use === undefined) throw new Error(`the action ${name} is unknown here`);
  use(job, step);
}

const USES: Readonly<Record<string, (job: Job, step: Yaml) => void>> = {
  "actions/checkout": ({ remote, workspace, env, contexts }, step) => {
    const ref = fill(get(get(step, "with"), "ref"), contexts);
    if (!/^[0-9a-f]{40}$/.test(ref) || nodeText(get(get(step, "with"), "fetch-depth")) !== "0")
      throw new Error(`the checkout of "${ref}" is not one of the full history`);
    execFileSync("git", ["clone", "--quiet", "--no-checkout", remote, workspace], { env });
    execFileSync("git", ["checkout", "--quiet", "--detach", ref], { cwd: workspace, env });
  },
  "actions/setup-node": () => undefined,
  "./ci/github": (job) => {
    const action = readYaml(readFileSync(join(job.workspace, "ci/github/action.yml"), "utf8"));
    const inputs = Object.entries((get(action, "inputs") ?? {}) as Readonly<Record<string, Yaml>>);
    const given = inputs.map(([name, input]) => [name, fill(get(input, "default"), job.contexts)] as const);
    const contexts = { ...job.contexts, inputs: Object.fromEntries(given) };
    const inner: Job = { ...job, contexts };
    for (const step of nodeList(get(get(action, "runs"), "steps"))) runStep(inner, step);
    Object.assign(job, { ok: inner.ok, text: inner.text });
  },
  "github/codeql-action/upload-sarif": (job, step) => {
    const file = join(job.workspace, fill(get(get(step, "with"), "sarif_file"), job.contexts));
    if (!existsSync(file)) job.ok = false;
  },
};

function runScript(job: Job, step: Yaml): void {
  const own = Object.entries((get(step, "env") ?? {}) as Readonly<Record<string, Yaml>>);
  const outputs = Object.fromEntries(
    ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"].map((name) => [name, join(job.workspace, "..", `${name}.txt`)]),
  );
  for (const file of Object.values(outputs)) writeFileSync(file, "");
  const env = { ...job.env, ...outputs, ...Object.fromEntries(own.map(([name, v]) => [name, fill(v, job.contexts)])) };
  if (nodeText(get(step, "shell")) !== "sh") throw new Error("only sh is known here");
  const ended = spawnSync("sh", ["-e"], {
    cwd: job.workspace,
    input: nodeText(get(step, "run")),
    env,
    encoding: "utf8",
  });
  job.text += `${ended.stdout}${ended.stderr}`;
  job.ok &&= ended.status === 0;
}

/** Replaces expressions: alternatives of context values. */
function fill(value: Yaml | undefined, contexts: Job["contexts"]): string {
  return nodeText(value).replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const values = expression.split(" || ").map((path) => {
      if (!/^[\w.]+$/.test(path)) throw new Error(`the expression ${path} is unknown here`);
      return nodeText(path.split(".").reduce<Yaml | undefined>(get, contexts));
    });
    return values.find((found) => found !== "") ?? "";
  });
}

/** Runs a job of GitLab for a merge request: a full clone of the source branch, and all lines in one shell. */
export function runGitlabJob(file: string, call: Omit<WorkflowCall, "event" | "payload">, variables: Environment) {
  const job = get(readYaml(readFileSync(file, "utf8")), "isdlc:verify");
  const own = Object.entries((get(job, "variables") ?? {}) as Readonly<Record<string, Yaml>>);
  const rules = nodeList(get(job, "rules")).map((rule) => nodeText(get(rule, "if")));
  if (rules.join() !== '$CI_PIPELINE_SOURCE == "merge_request_event"') throw new Error("the rules are unknown here");
  const given = Object.fromEntries(own.map(([name, value]) => [name, nodeText(value)]));
  if (given["GIT_DEPTH"] !== "0" || given["GIT_STRATEGY"] !== "clone") throw new Error("the clone is not a full one");
  execFileSync("git", ["clone", "--quiet", "--no-checkout", call.remote, call.workspace], { env: call.env });
  const script = nodeList(get(job, "script")).map(nodeText).join("\n");
  const env = { ...call.env, ...given, ...variables };
  return spawnSync("sh", ["-eu"], { cwd: call.workspace, input: script, env, encoding: "utf8" });
}
