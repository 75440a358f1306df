import { homedir } from "node:os";
import { shareNotes } from "../../../adapters/attestation/share-notes.ts";
import { writeConstitution } from "../../../adapters/project-files/constitution-file.ts";
import { CONSTITUTION_FILE } from "../../../core/constitution.ts";
import { ProblemError } from "../../../core/problem.ts";
import { testCommandText } from "../../../core/test-command.ts";
import type { FoundTests } from "../../../ports/check-runner.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { askTrust } from "../terminal/ask.ts";
import { mayMakeFirstToken, identifyPerson } from "../invocation/caller.ts";
import { ChoicesNeeded } from "../../../app/choice.ts";
import { installLines, seeAgents } from "../../../compose/known-agents.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { aboutTests, findTests } from "../../../app/start/plan-tests.ts";
import { type RepositoryOverlay, repositoryOverlay } from "../../../compose/workflows.ts";
import { programsDigest, createPrograms } from "../../../compose/programs.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { createGitCaller } from "../../../compose/trusted-git-programs.ts";
import { done, flag, type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { identifyStarter } from "../invocation/caller.ts";
import type { GitProgram } from "../../../ports/vcs.ts";
import { aboutHooks } from "../../../app/start/plan-repository.ts";
import { requireKnownNeeds } from "../../../compose/sandbox.ts";

/** Sets up `.isdlc/`, and reports the installed agents and missing prerequisites. */
export const init: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  await identifyStarter(invocation, project);
  const own = project.projections.setUp();
  const constitution = resolveConstitution(invocation, project);
  const shared = flag(invocation.values, "share") ? await shareStatements(project) : [];
  const wrote = [...own, ...constitution.wrote];
  const seen = await seeAgents(project.env);
  const found = seen.flatMap(({ name, able }) => (able === null ? [] : [{ name, version: able.version }]));
  const lines = [
    own.length === 0 ? ".isdlc/ is already set up." : `Wrote ${own.join(", ")} (undo: remove the folder .isdlc).`,
    ...constitution.lines,
    ...shared,
    ...(found.length === 0
      ? []
      : [`Agents found: ${found.map(({ name, version }) => `${name} ${version}`).join(", ")}.`]),
    ...missingLines(await missingParts(project, found.length > 0)),
  ];
  return done(lines, { wrote, agents: found });
};

/** Lists missing prerequisites of a first run, each with the command that provides it. */
async function missingParts(project: LocalProject, hasAgent: boolean): Promise<string[]> {
  const facts = await project.vcs.facts();
  const isChosen = project.settings.read().settings["agent-command"] !== undefined;
  return [
    ...(facts === null ? ["a git repository: git init"] : []),
    ...(facts === null || facts.head === null ? ['a first commit: git add --all && git commit -m "Start"'] : []),
    ...(hasAgent || isChosen ? [] : installLines()),
  ];
}

function missingLines(missing: readonly string[]): string[] {
  if (missing.length === 0) return ['Start: isdlc "<change>"'];
  return [
    "Still missing:",
    ...missing.map((part) => (part.startsWith(" ") ? `  ${part}` : `  - ${part}`)),
    'Then start: isdlc "<change>"',
  ];
}

/** Writes a starter constitution on request. An existing file is never changed. */
function resolveConstitution(
  { values }: Invocation,
  { root, files }: LocalProject,
): { wrote: string[]; lines: string[] } {
  if (!flag(values, "constitution")) return { wrote: [], lines: [] };
  if (!writeConstitution(root, files))
    return { wrote: [], lines: [`${CONSTITUTION_FILE} already exists and stays as it is.`] };
  return {
    wrote: [CONSTITUTION_FILE],
    lines: [`Wrote ${CONSTITUTION_FILE}. Make its articles yours; reviewers judge by them.`],
  };
}

async function shareStatements(project: LocalProject): Promise<string[]> {
  const isNew = await shareNotes({ cwd: project.root, remote: "origin", caller: createGitCaller(project) });
  return [
    isNew ? "git fetch now brings signed statements along." : "git fetch brings signed statements along already.",
  ];
}

/** Trusts the current test command, overlay and hooks of the repository. The trust is stored outside the repository. */
export const trust: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  await identifyPerson(invocation, project);
  if (flag(invocation.values, "programs")) return trustPrograms(invocation, project);
  const asked = await askedTrust(invocation, project);
  const { overlay, hooks, allow } = asked;
  const tests = asked.tests?.command ?? null;
  const json = { tests, overlay, hooks: hooks.map(({ name }) => name), ...(allow === null ? {} : { allow }) };
  if (tests === null && overlay === null && hooks.length === 0 && allow === null)
    return done(
      ["There is nothing to trust here: no test command, no overlay and no untrusted hooks were found."],
      json,
    );
  await requireAgreement(invocation, "Trust it?", aboutAsked(asked));
  const memory = project.trust;
  for (const found of [tests, overlay]) if (found !== null) memory.trust(found.digest);
  project.gitTrust.trust(hooks);
  if (allow !== null) memory.allowTests(allow);
  return done(trustedLines(asked), json);
};

/** @throws ChoicesNeeded unless the user agreed. */
async function requireAgreement({ values, io }: Invocation, question: string, about: readonly string[]): Promise<void> {
  const agreed = flag(values, "yes") || (await askTrust(io, question, about));
  if (!agreed) throw new ChoicesNeeded([{ id: "trust", kind: "trust", options: ["yes"], about }]);
}

const aboutAsked = ({ tests, overlay, hooks, allow }: AskedTrust): string[] => [
  ...(tests === null ? [] : aboutTests(tests)),
  ...(overlay === null ? [] : aboutOverlay(overlay)),
  ...(hooks.length === 0 ? [] : aboutHooks(hooks)),
  ...aboutNeeds(allow),
];

/** Trusts the programs found now, to continue the open run with them. */
async function trustPrograms(invocation: Invocation, project: LocalProject): Promise<Result> {
  const { run, state } = await currentRun(project);
  const agents = run === null ? null : project.trust.agents(run);
  if (state.is !== "active" || agents === null) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const programs = createPrograms(project, { agents, sandbox: state.run.sandbox === true, tests: state.tests });
  const about = Object.entries(programs).map(([name, path]) => plainLine(`${name}: ${path}`));
  await requireAgreement(invocation, "Continue with these?", about);
  project.trust.trust(programsDigest(programs));
  return done(["The run continues with these programs:", ...about], { programs });
}

type AskedTrust = {
  readonly tests: FoundTests | null;
  readonly overlay: RepositoryOverlay | null;
  /** Untrusted hooks. */
  readonly hooks: readonly GitProgram[];
  readonly allow: readonly string[] | null;
};

async function askedTrust({ values }: Invocation, project: LocalProject): Promise<AskedTrust> {
  const allow = neededByTests(project, text(values, "allow"));
  const hooks = (await project.vcs.facts()) === null ? [] : await project.gitTrust.untrusted();
  return { tests: await findTests(project), overlay: repositoryOverlay(project), hooks, allow };
}

const trustedLines = ({ tests, overlay, hooks, allow }: AskedTrust): string[] => [
  ...(tests === null
    ? []
    : [`Trusted: ${plainLine(testCommandText(tests.command))} (${plainLine(tests.command.source)})`]),
  ...(overlay === null ? [] : [`Trusted: ${overlay.file} as it is now`]),
  ...hooks.map(({ name }) => `Trusted: ${plainLine(name)} as it is now`),
  ...aboutNeeds(allow),
];

/** Null without the option. */
function neededByTests({ root, env }: LocalProject, said: string | undefined): readonly string[] | null {
  if (said === undefined) return null;
  const words = said.split(",").map((word) => word.trim());
  if (words.length === 1 && words[0] === "none") return [];
  requireKnownNeeds(words, { root, home: env["HOME"] ?? homedir() });
  return words;
}

function aboutNeeds(needs: readonly string[] | null): string[] {
  if (needs === null) return [];
  return needs.length === 0
    ? ["Sandboxed tests can access only a copy of the working tree and installed software."]
    : [`Sandboxed tests may use: ${plainLine(needs.join(", "))}`];
}

function aboutOverlay({ file, loosens }: RepositoryOverlay): string[] {
  if (loosens.length === 0) return [`${file} changes rules of the workflows; nothing in it loosens one.`];
  const parts = loosens.map(({ what, why }) => `  ${plainLine(`${what}: ${why}`)}`);
  return [`${file} would loosen rules or add prompt text. Read it first. With your trust this takes effect:`, ...parts];
}

/** Creates an approval token and prints it once. */
export const token: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  if (!(await mayMakeFirstToken(invocation, project))) await identifyPerson(invocation, project);
  const made = project.tokens.create(project.clock.now());
  const once =
    "Shown once. Pass it by --token-fd or in ISDLC_OPERATOR_TOKEN; it is not accepted for a run that is already open.";
  return done([made, once], { token: made });
};
