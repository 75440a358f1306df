import { SandboxChoice, SessionChoice, WebhookForm } from "../../../schema/user-settings.ts";
import { isRecord, ownValue } from "../../../core/own-value.ts";
import { ProblemError } from "../../../core/problem.ts";
import { phaseNumber } from "../../../schema/ids.ts";
import { AGENT_NAMES, type ReadChoice, readChoice } from "../../../app/agents/agent-choice.ts";
import { settingsUnreadable } from "../../../app/authorize/authorize.ts";
import { personOf } from "../main/caller.ts";
import { readNamed } from "../../../app/agents/choose-agents.ts";
import { shippedPhases } from "../../../app/agents/shipped-phases.ts";
import { type Limit, LIMITS, limitValues, readLimit } from "../../../app/start/limits.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { done, type Result, type Run } from "../grammar/verb.ts";

type Setting = {
  /** What the text on the command line means; undefined when it means nothing. */
  readonly parse: (value: string, project: LocalProject) => unknown;
  readonly valid: string;
  readonly read: (project: LocalProject) => unknown;
  /** A warning for the person, where there is one. */
  readonly write: (project: LocalProject, value: unknown) => string | null;
};

/** The channels there are today; others would lock the person out. */
const CHANNELS = ["terminal", "token", "dashboard"];
const asText = (value: string): unknown => (value === "" ? null : value);
const asBoolean = (value: string): unknown => (value === "true" ? true : value === "false" ? false : undefined);
const asUrl = (value: string): unknown => (value === "" ? null : /^https?:\/\//.test(value) ? value : undefined);
const asList = (value: string): string[] => value.split(",").map((part) => part.trim());
/** Absolute, or in the home; nothing at all closes what was open. */
const asPaths = (value: string): unknown => {
  const paths = value === "" ? [] : asList(value);
  return paths.every((path) => path.startsWith("/") || path.startsWith("~/")) ? paths : undefined;
};

/** @throws ProblemError USAGE for an entry that no workflow has, as `--review` does. */
function asPhases(value: string, project: LocalProject): string[] {
  const names = asList(value);
  const phases = shippedPhases(project.workflows);
  const unknown = names.find((name) => !phases.some((key) => key === name || phaseNumber(key) === name));
  if (unknown === undefined) return names;
  const valid = [...new Set(phases.map(phaseNumber))].toSorted().join(", ");
  const detail = `"${unknown}" is a phase of no workflow; there are ${valid}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: "isdlc config set supervised_mode.review_phases all, 03,06" });
}

/** The `supervised_mode` block of this project's state.json. */
const supervised = (name: string, parse: Setting["parse"], valid: string): Setting => ({
  parse,
  valid,
  read: (project) => ownValue(ownValue(project.projections.stateFile(), "supervised_mode"), name) ?? null,
  write(project, value) {
    project.projections.setUp();
    return project.projections.writeSettings((user) => {
      const block = ownValue(user, "supervised_mode");
      return { ...user, supervised_mode: { ...(isRecord(block) ? block : {}), [name]: value } };
    });
  },
});

/** The person's own settings, for every project. Null takes one out. */
const personal = (name: string, parse: Setting["parse"], valid: string): Setting => ({
  parse,
  valid,
  read: (project) => ownValue(project.settings.read().settings, name) ?? null,
  write(project, value) {
    const { found } = project.settings.read();
    if (found === null) throw new ProblemError(settingsUnreadable(project));
    const { [name]: _old, ...others } = found;
    const wanted = value === null ? others : { ...others, [name]: value };
    project.settings.write(wanted);
    return null;
  },
});

/** @throws ProblemError USAGE, as what is wrong with a choice is worth telling. */
const agentChoice = (name: string, read: (said: string) => ReadChoice): Setting =>
  personal(
    name,
    (said) => {
      const choice = said === "" ? null : read(said);
      if (choice === null || choice.ok) return choice === null ? null : said;
      const usage = `isdlc config set ${name} <name[:model]>`;
      throw new ProblemError({ code: "USAGE", detail: `Invalid value for ${name}: ${choice.detail}.`, usage });
    },
    `<name[:model]> (${AGENT_NAMES.join(", ")})`,
  );

const limit = (name: Limit): Setting =>
  personal(name, (said) => (said === "" ? null : readLimit(name, said)), limitValues(name));

const settings: Readonly<Record<string, Setting>> = {
  "supervised_mode.enabled": supervised("enabled", asBoolean, "true, false"),
  "supervised_mode.review_phases": supervised(
    "review_phases",
    (value, project) => (value === "all" ? "all" : asPhases(value, project)),
    "all, 03,06",
  ),
  "supervised_mode.parallel_summary": supervised("parallel_summary", asBoolean, "true, false"),
  agent: agentChoice("agent", readChoice),
  "agent-command": personal("agent-command", asText, '"<program> <args>"'),
  reviewer: agentChoice("reviewer", readChoice),
  "reviewer-command": personal("reviewer-command", asText, '"<program> <args>"'),
  approvals: personal(
    "approvals",
    (value) => (asList(value).every((one) => CHANNELS.includes(one)) ? asList(value) : undefined),
    CHANNELS.join(","),
  ),
  sandbox: personal("sandbox", (value) => SandboxChoice.safeParse(value).data, SandboxChoice.options.join(", ")),
  "sandbox-read": personal("sandbox-read", asPaths, "~/.m2,/opt/tools"),
  "sandbox-write": personal("sandbox-write", asPaths, "~/.cache/go-build"),
  ...Object.fromEntries(LIMITS.map((name) => [name, limit(name)])),
  webhook: personal("webhook", asUrl, "https://example.org/hook"),
  "webhook-secret": personal("webhook-secret", asText, "<secret that signs what is sent>"),
  "webhook-form": personal(
    "webhook-form",
    (value) => (value === "" ? null : WebhookForm.safeParse(value).data),
    WebhookForm.options.join(", "),
  ),
  session: personal(
    "session",
    (value) => (value === "" ? null : SessionChoice.safeParse(value).data),
    SessionChoice.options.join(", "),
  ),
};

/** Reads and changes settings: of this project's supervision, and the person's own. */
export const config: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const [action = "get", key, value] = invocation.words;
  if (action === "get") return show(project, key === undefined ? keysOf(project) : [key]);
  if (action !== "set" || key === undefined || value === undefined)
    throw new ProblemError({ code: "USAGE", detail: "Say what to read or to set.", usage: invocation.verb.usage });
  settingOf(project, key);
  await personOf(invocation, project);
  const warning = changeSetting(project, key, value);
  if (warning !== null) invocation.io.err(`warning: ${warning}`);
  return show(project, [key]);
};

/** The person's right to it was looked at before. @throws ProblemError for a key or a value that means nothing. */
export function changeSetting(project: LocalProject, key: string, value: string): string | null {
  const setting = settingOf(project, key);
  const parsed = setting.parse(value, project);
  if (parsed !== undefined) return setting.write(project, parsed);
  const usage = `isdlc config set ${key} ${setting.valid}`;
  throw new ProblemError({ code: "USAGE", detail: `Invalid value for ${key}: "${value}".`, usage });
}

/** Every setting with its value; null where it is not set. */
export const settingRows = (project: LocalProject): { key: string; value: unknown; valid: string }[] =>
  keysOf(project).map((key) => ({
    key,
    value: settingOf(project, key).read(project),
    valid: settingOf(project, key).valid,
  }));

function show(project: LocalProject, keys: readonly string[]): Result {
  const found = Object.fromEntries(keys.map((key) => [key, settingOf(project, key).read(project)]));
  const lines = keys.map((key) => `${key} ${found[key] === null ? "is not set" : `= ${JSON.stringify(found[key])}`}`);
  return done(lines, { settings: found });
}

/** All there are, and those of single phases where they are set. */
function keysOf(project: LocalProject): string[] {
  const own = project.settings.read().settings;
  return [...Object.keys(settings), ...Object.keys(own).filter((key) => roleOf(key) !== null && isPhase(project, key))];
}

function settingOf(project: LocalProject, key: string): Setting {
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (setting !== undefined) return setting;
  const role = roleOf(key);
  if (role !== null && isPhase(project, key)) return agentChoice(key, readNamed);
  const phases = shippedPhases(project.workflows).map((phase) => `${role ?? ""}.${phase}`);
  const valid = role === null ? [...Object.keys(settings), "agent.<phase>", "reviewer.<phase>"] : phases;
  throw new ProblemError({ code: "SETTING_UNKNOWN", name: key, valid });
}

const roleOf = (key: string): string | null => /^(agent|reviewer)\../.exec(key)?.[1] ?? null;
const isPhase = ({ workflows }: LocalProject, key: string): boolean =>
  shippedPhases(workflows).includes(key.slice(key.indexOf(".") + 1));
