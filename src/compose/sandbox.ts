import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type * as z from "zod/mini";
import { packageRoot } from "../adapters/project-files/package-root.ts";
import { gitFolders } from "../adapters/git/process/working-trees.ts";
import type { TestsInSandbox } from "../adapters/checks/run-tests.ts";
import { agentNeeds, listSettingsFiles } from "../adapters/sandbox/agent-needs.ts";
import { type SandboxResult, createSandbox } from "../adapters/sandbox/create-sandbox.ts";
import { type ForwardedNetwork, forwardNetwork, hasOwnProxy } from "../adapters/sandbox/forwarded-network.ts";
import { type TestNeeds, testSandbox } from "../adapters/sandbox/test-sandbox.ts";
import { sandboxAvailable } from "../adapters/sandbox/sandbox-available.ts";
import type { RememberedAgent, SandboxNetwork } from "../schema/run-agents.ts";
import { readUserSettings } from "../adapters/files/user-settings.ts";
import { type NetworkChoice, SandboxChoice } from "../schema/user-settings.ts";
import type { SandboxPlan } from "../ports/agents.ts";
import { ProblemError } from "../core/problem.ts";
import { SESSION_AGENT } from "../core/next.ts";
import { buildEnvironment, findAgentProgram } from "./create-backend.ts";
import { refuseWithoutSandbox } from "./needs-sandbox.ts";
import type { ProjectLocation } from "./project-location.ts";
import { real, isWithin } from "../adapters/sandbox/bounds.ts";
import type { Sandbox } from "../adapters/process/child-environment.ts";

/**
 * Decides if the agents of a new run are sandboxed: as requested, else by the environment, else by the user's setting,
 * else if a sandbox is available. The project has no influence.
 * @throws ProblemError SANDBOX_UNAVAILABLE if a sandbox was requested and is not available; AGENT_NEEDS_SANDBOX for an
 * agent that must not run without.
 */
export function resolveSandbox(
  place: ProjectLocation,
  agents: readonly RememberedAgent[],
  wished: string | undefined,
): SandboxPlan {
  const { settings } = readUserSettings(place.folders.config, place.files);
  const asked = wished ?? fromEnvironment(place.env["ISDLC_SANDBOX"]) ?? settings.sandbox;
  const names = agents.map(({ name }) => name);
  const network = planNetwork(settings["sandbox-network"], agents, place.env);
  if (asked === "off") refuseWithoutSandbox(names, "Start the run with --sandbox on");
  if (asked === "off" || agents.every(startsNothing)) return { sandbox: false, network: null, note: null };
  const why = agents.map((agent) => prepareSandbox(place, agent)).find(({ ok }) => !ok);
  if (why === undefined || why.ok) return { sandbox: true, network, note: null };
  if (asked === "on") throw unavailable(why);
  refuseWithoutSandbox(names, `No sandbox is available here: ${why.why}. ${why.fix}`);
  const note = `Agents run without a sandbox: ${why.why} (${why.fix}). More in "isdlc doctor".`;
  return { sandbox: false, network: null, note };
}

/** @throws ProblemError USAGE for an invalid value, because the user expects an effect. */
function fromEnvironment(said: string | undefined): z.infer<typeof SandboxChoice> | undefined {
  if (said === undefined || said === "") return undefined;
  const choice = SandboxChoice.safeParse(said);
  if (choice.success) return choice.data;
  const usage = `ISDLC_SANDBOX=${SandboxChoice.options.join("|")}`;
  throw new ProblemError({ code: "USAGE", detail: `Invalid value for ISDLC_SANDBOX: "${said.slice(0, 40)}".`, usage });
}

/** Creates the sandbox of one agent, for a run that was started with a sandbox. Such a run never continues without. */
export function createAgentSandbox(
  place: ProjectLocation,
  agent: RememberedAgent,
  run: SandboxedRun,
): Sandbox | undefined {
  if (startsNothing(agent)) return undefined;
  const made = prepareSandbox(place, agent, run);
  if (!made.ok) throw unavailable(made);
  return made.sandbox;
}

export type SandboxedRun = {
  /** Folder of its documents. */
  readonly documents: string;
  readonly network: SandboxNetwork;
  /** Variables that the user allows its agents. */
  readonly variables: readonly string[];
};

/**
 * Agents whose products work with a forwarded network, as tested with a scripted model. Others may need connections that
 * a proxy for HTTP and HTTPS does not have.
 */
const FORWARDED_AGENTS: ReadonlySet<string> = new Set(["claude", "codex", "gemini", "opencode"]);

function planNetwork(
  choice: z.infer<typeof NetworkChoice> = "auto",
  agents: readonly RememberedAgent[],
  env: NodeJS.ProcessEnv,
): SandboxNetwork {
  if (choice !== "auto") return choice;
  const isTested = agents.every((agent) => startsNothing(agent) || FORWARDED_AGENTS.has(agent.name));
  return isTested && !hasOwnProxy(env) ? "forwarded" : "shared";
}

/** Creates the sandbox of the tests of such a run. */
export function createSandboxForTests(place: ProjectLocation, needs: TestNeeds): TestsInSandbox {
  const { root, env, folders } = place;
  const available = sandboxAvailable(env);
  if (!available.ok) throw unavailable(available);
  const around: TestsInSandbox["around"] = (command, folder) =>
    testSandbox(
      {
        root,
        gitDirs: listGitFolders(root),
        home: env["HOME"] ?? homedir(),
        path: env["PATH"] ?? "",
        command,
        secret: [folders.config, folders.state],
        needs,
        bwrap: available.bwrap,
      },
      folder,
    );
  return { offline: !needs.network, around };
}

function listGitFolders(root: string): readonly string[] {
  const git = gitFolders(root);
  return git === null ? [] : [...new Set([git.own, git.common])];
}

/**
 * Returns the folders of isdlc if it is installed in the tree. Protected, because a change by an agent would run with
 * the user's rights at the next start.
 */
function ownFolders(root: string): readonly string[] {
  const own = realpathSync(packageRoot());
  const commands = join(dirname(own), ".bin");
  return own !== root && isWithin(own, root) ? [own, ...(existsSync(commands) ? [commands] : [])] : [];
}

/** Agents that are identified only by their program. */
const OWN_PROGRAMS = ["command", "acp"];

/** A recording needs no process, and a session already has one. */
const startsNothing = ({ name }: RememberedAgent): boolean => name === "replay" || name === SESSION_AGENT;

type PreparedSandbox =
  | Extract<SandboxResult, { ok: true }>
  | { readonly ok: false; readonly why: string; readonly fix: string };

function prepareSandbox(place: ProjectLocation, agent: RememberedAgent, run?: SandboxedRun): PreparedSandbox {
  const { root, env, folders, files } = place;
  const available = sandboxAvailable(env);
  if (!available.ok) return available;
  const home = env["HOME"] ?? homedir();
  const { settings } = readUserSettings(folders.config, files);
  const command = findAgentProgram(agent, env);
  const needs = agentNeeds(OWN_PROGRAMS.includes(agent.name) ? (command[0] ?? "") : agent.name, env, home);
  const network = (): ForwardedNetwork =>
    forwardNetwork(buildEnvironment(agent, env, run?.variables), listSettingsFiles(needs));
  const made = createSandbox({
    root,
    gitDirs: [...listGitFolders(root), ...ownFolders(root)],
    documents: run?.documents ?? null,
    home,
    secret: [folders.config, folders.state],
    needs,
    extra: {
      read: absolute(settings["sandbox-read"], home),
      write: absolute(settings["sandbox-write"], home),
    },
    command,
    path: env["PATH"] ?? "",
    bwrap: available.bwrap,
    network: run?.network === "forwarded" ? network : undefined,
  });
  return made.ok ? made : { ...made, fix: "--sandbox off continues without it" };
}

const absolute = (paths: readonly string[] | undefined, home: string): readonly string[] =>
  (paths ?? []).map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));

const unavailable = ({ why, fix }: { why: string; fix: string }): ProblemError =>
  new ProblemError({ code: "SANDBOX_UNAVAILABLE", why, fix });

type AllowedToTests = TestNeeds & {
  /** Names of the user's environment variables. */
  readonly variables: readonly string[];
};

/** Parses the permissions granted by a user: resources that tests may use in addition to a copy of the tree. */
export function parseTestNeeds(words: readonly string[], home: string): AllowedToTests {
  const after = (prefix: string): string[] =>
    words.flatMap((word) => (word.startsWith(prefix) ? [word.slice(prefix.length)] : []));
  const paths = (prefix: string): string[] =>
    after(prefix).map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
  const docker = words.includes("docker") ? DOCKER_SOCKETS : [];
  return {
    network: words.includes("network"),
    read: paths("read:"),
    write: [...paths("write:"), ...docker],
    variables: [...after("env:"), ...(docker.length > 0 ? ["DOCKER_HOST"] : [])],
  };
}

const DOCKER_SOCKETS = ["/run/docker.sock", "/var/run/docker.sock"];

const KNOWN = /^(?:network|docker|env:[A-Za-z_]\w*|(?:read|write):(?:~?\/).+)$/;

type SandboxTree = { readonly root: string; readonly home: string };

/** @throws ProblemError USAGE for an unknown permission, and for one without effect. */
export function requireKnownNeeds(words: readonly string[], { root, home }: SandboxTree): void {
  const usage = "isdlc trust --allow network,docker,env:NAME,read:/path,write:/path";
  const odd = words.find((word) => !KNOWN.test(word));
  if (odd !== undefined)
    throw new ProblemError({ code: "USAGE", detail: `"${odd.slice(0, 80)}" is nothing tests can be allowed.`, usage });
  const { read, write } = parseTestNeeds(words, home);
  const inside = [...read, ...write].find((path) => isWithin(real(path) ?? path, real(root) ?? root));
  if (inside === undefined) return;
  const detail = `${inside.slice(0, 200)} is in the project. Tests read and write a copy of the project, which is deleted after each run: nothing in it can be allowed.`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}
