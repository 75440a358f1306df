import { MAX_REDOS } from "../../core/run.ts";
import { ProblemError } from "../../core/problem.ts";
import { parseTestCommand } from "../../core/test-command.ts";
import { phaseNumber } from "../../schema/ids.ts";
import {
  MAX_REDO_LIMIT,
  NotifyChoice,
  NetworkChoice,
  SandboxChoice,
  SessionChoice,
  VARIABLE_NAME,
  WebhookForm,
} from "../../schema/user-settings.ts";
import { AGENT_NAMES, type ReadChoice, readChoice, shippedPhases } from "../agents/agent-choice.ts";
import { readNamed } from "../agents/choose-agents.ts";
import type { Project } from "../project/project.ts";
import { invalidTestCommand } from "../start/plan-tests.ts";
import { type Limit, LIMITS, limitValues, readLimit } from "../start/limits.ts";
import { blockSetting, ownSetting, type Setting } from "./setting.ts";

/** Supported channels. Others would lock the user out. */
const CHANNELS = ["terminal", "token", "dashboard", "passkey"];

const orNothing =
  (read: (value: string) => unknown) =>
  (value: string): unknown =>
    value === "" ? null : read(value);
const asText = orNothing((value) => value);
const asBoolean = (value: string): unknown => (value === "true" ? true : value === "false" ? false : undefined);
const asUrl = orNothing((value) => (/^https?:\/\//.test(value) ? value : undefined));
const asList = (value: string): string[] => value.split(",").map((part) => part.trim());
const asCount = (most: number) =>
  orNothing((value) => (/^[0-9]+$/.test(value) && Number(value) <= most ? Number(value) : undefined));
/** Paths must be absolute or start with `~/`. An empty value removes all paths. */
const asPaths = (value: string): unknown => {
  const paths = value === "" ? [] : asList(value);
  return paths.every((path) => path.startsWith("/") || path.startsWith("~/")) ? paths : undefined;
};

const asVariables = (value: string): unknown => {
  const names = value === "" ? [] : asList(value);
  return names.every((name) => VARIABLE_NAME.test(name)) ? names : undefined;
};

/** @throws ProblemError USAGE if no channel would be left to answer. */
function asChannels(value: string, { passkeys }: Project): unknown {
  if (value === "") return null;
  const channels = asList(value);
  if (!channels.every((one) => CHANNELS.includes(one))) return undefined;
  if (!channels.includes("passkey") || passkeys.list().length > 0) return channels;
  const detail = "No passkey is registered, so answering a gate would be impossible.";
  throw new ProblemError({ code: "USAGE", detail, usage: "isdlc passkey add" });
}

/** @throws ProblemError USAGE for an entry in no workflow, as `--review` does. */
function asPhases(value: string, project: Project): "all" | string[] {
  if (value === "all") return "all";
  const names = asList(value);
  const phases = shippedPhases(project.workflows);
  const unknown = names.find((name) => !phases.some((key) => key === name || phaseNumber(key) === name));
  if (unknown === undefined) return names;
  const valid = [...new Set(phases.map(phaseNumber))].toSorted().join(", ");
  const detail = `No workflow has a phase "${unknown}"; valid: ${valid}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: "isdlc config set supervised-mode.review-phases all, 03,06" });
}

/** @throws ProblemError USAGE with the reason, for an invalid agent. */
const agentSetting = (name: string, read: (said: string) => ReadChoice, fallback: Setting["fallback"]): Setting =>
  ownSetting(name, {
    parse: orNothing((said) => {
      const choice = read(said);
      if (choice.ok) return said;
      const usage = `isdlc config set ${name} <name[:model]>`;
      throw new ProblemError({ code: "USAGE", detail: `Invalid value for ${name}: ${choice.detail}.`, usage });
    }),
    valid: `<name[:model]> (${AGENT_NAMES.join(", ")})`,
    fallback,
    isByProject: true,
  });

const limit = (name: Limit): Setting =>
  ownSetting(name, {
    parse: orNothing((said) => readLimit(name, said)),
    valid: limitValues(name),
    fallback: "no limit",
    isByProject: true,
  });

const choiceSetting = (
  name: string,
  options: readonly string[],
  more: { fallback: string; isByProject?: boolean },
): Setting =>
  ownSetting(name, {
    parse: orNothing((value) => (options.includes(value) ? value : undefined)),
    valid: options.join(", "),
    ...more,
  });

const command = (name: string): Setting =>
  ownSetting(name, { parse: asText, valid: '"<program> <args>"', isByProject: true });

/** @throws ProblemError USAGE with the part of the command that needs a shell. */
const testCommand = (said: string): string => {
  const parsed = parseTestCommand(said);
  if (!parsed.ok) throw invalidTestCommand(said, parsed, (text) => `isdlc config set tests ${text}`);
  return said;
};

const paths = (name: string, valid: string): Setting => ownSetting(name, { parse: asPaths, valid });
const variables = (name: string, valid: string): Setting =>
  ownSetting(name, { parse: asVariables, valid, isByProject: true });

const detectedAgent = ({ agents, settings: own }: Project): string => {
  if (own.read().settings["agent-command"] !== undefined) return "the program of agent-command";
  const found = agents.detect();
  return found === null ? "none found on PATH" : `${found}, found on PATH`;
};

/** All settings by name: words joined by dashes, groups by dots. */
export const settings: Readonly<Record<string, Setting>> = {
  "supervised-mode.enabled": blockSetting("enabled", { parse: asBoolean, valid: "true, false", fallback: "false" }),
  "supervised-mode.review-phases": blockSetting("review_phases", {
    parse: asPhases,
    valid: "all, 03,06",
    fallback: "all",
  }),
  "supervised-mode.parallel-summary": blockSetting("parallel_summary", {
    parse: asBoolean,
    valid: "true, false",
    fallback: "true",
  }),
  agent: agentSetting("agent", readChoice, detectedAgent),
  "agent-command": command("agent-command"),
  reviewer: agentSetting("reviewer", readChoice, () => "the agent of the phase"),
  "reviewer-command": command("reviewer-command"),
  ...Object.fromEntries(LIMITS.map((name) => [name, limit(name)])),
  "redo.limit": ownSetting("redo.limit", {
    parse: asCount(MAX_REDO_LIMIT),
    valid: `<0 to ${MAX_REDO_LIMIT}>`,
    fallback: String(MAX_REDOS),
    isByProject: true,
  }),
  session: choiceSetting("session", SessionChoice.options, { fallback: "phase", isByProject: true }),
  tests: ownSetting("tests", {
    parse: orNothing(testCommand),
    valid: '"<command>"',
    fallback: "detected",
    isByProject: true,
    isProjectOnly: true,
  }),
  sandbox: choiceSetting("sandbox", SandboxChoice.options, { fallback: "auto" }),
  "sandbox-network": choiceSetting("sandbox-network", NetworkChoice.options, { fallback: "auto" }),
  "sandbox-read": paths("sandbox-read", "~/.m2,/opt/tools"),
  "sandbox-write": paths("sandbox-write", "~/.cache/go-build"),
  "agent-variables": variables("agent-variables", "SENTRY_TOKEN,ACME_*"),
  "git-variables": variables("git-variables", "LEFTHOOK_*"),
  approvals: ownSetting("approvals", {
    parse: asChannels,
    valid: CHANNELS.join(","),
    fallback: "all",
  }),
  "watch-startup-files": choiceSetting("watch-startup-files", ["on", "off"], { fallback: "off" }),
  notify: choiceSetting("notify", NotifyChoice.options, { fallback: "on" }),
  webhook: ownSetting("webhook", { parse: asUrl, valid: "https://example.org/hook" }),
  "webhook-secret": ownSetting("webhook-secret", { parse: asText, valid: "<secret that signs what is sent>" }),
  "webhook-form": choiceSetting("webhook-form", WebhookForm.options, { fallback: "json" }),
};

/** Names as spelled in the project's state.json. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.keys(settings)
    .filter((name) => name.startsWith("supervised-mode."))
    .map((name) => [name.replaceAll("-", "_"), name]),
);

/** @throws ProblemError SETTING_UNKNOWN */
export function findSetting(project: Project, key: string): Setting {
  const name = OLD_NAMES.get(key) ?? key;
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (setting !== undefined) return setting;
  const role = parseRole(key);
  if (role !== null && isPhase(project, key))
    return agentSetting(key, readNamed, () => (role === "agent" ? "the agent" : "the reviewer"));
  const phases = shippedPhases(project.workflows).map((phase) => `${role ?? ""}.${phase}`);
  const valid = role === null ? [...Object.keys(settings), "agent.<phase>", "reviewer.<phase>"] : phases;
  throw new ProblemError({ code: "SETTING_UNKNOWN", name: key, valid });
}

/** Lists all settings, plus those of single phases that are set. */
export function settingNames(project: Project): string[] {
  const set = Object.keys(project.settings.read().settings);
  return [...Object.keys(settings), ...set.filter((key) => parseRole(key) !== null && isPhase(project, key))];
}

const parseRole = (key: string): string | null => /^(agent|reviewer)\../.exec(key)?.[1] ?? null;
const isPhase = ({ workflows }: Project, key: string): boolean =>
  shippedPhases(workflows).includes(key.slice(key.indexOf(".") + 1));
