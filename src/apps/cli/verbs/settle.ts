import { shareNotes } from "../../../adapters/attestation/share-notes.ts";
import { createCheckRunner } from "../../../adapters/checks/create-check-runner.ts";
import { writeConstitution } from "../../../adapters/constitution/constitution-file.ts";
import { createToken } from "../../../adapters/caller/operator-token.ts";
import { createTrustStore } from "../../../adapters/user-files/trust-store.ts";
import { CONSTITUTION_FILE } from "../../../core/constitution.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { ask } from "../terminal/ask.ts";
import { authorize, freshToken } from "../authorize.ts";
import { ChoiceNeeded } from "../grammar/choice.ts";
import { installLine, seeAgents } from "../known-agents.ts";
import { openProject, type Project, systemClock } from "../project.ts";
import { setUp } from "../set-up.ts";
import { aboutTests } from "../resolve-tests.ts";
import { type RepositoryOverlay, repositoryOverlay } from "../resolve-workflow.ts";
import { done, flag, type Invocation, type Run } from "../grammar/verb.ts";
import { initiatorOf } from "../authorize.ts";

/** Sets up `.isdlc/` and says what it found. */
export const init: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  initiatorOf(invocation, project);
  const own = setUp(project);
  const constitution = resolveConstitution(invocation, project);
  const shared = flag(invocation.values, "share") ? await shareStatements(project) : [];
  const wrote = [...own, ...constitution.wrote];
  const seen = await seeAgents(project.env);
  const found = seen.flatMap(({ name, able }) => (able === null ? [] : [{ name, version: able.version }]));
  const lines = [
    own.length === 0 ? ".isdlc/ is already set up." : `Wrote ${own.join(", ")} (undo: remove the folder .isdlc).`,
    ...constitution.lines,
    ...shared,
    found.length === 0
      ? installLine()
      : `Agents found: ${found.map(({ name, version }) => `${name} ${version}`).join(", ")}.`,
    'Begin: isdlc "<what to do>"',
  ];
  return done(lines, { wrote, agents: found });
};

/** A starter where it was asked for; one that is there is never touched. */
function resolveConstitution({ values }: Invocation, { root, files }: Project): { wrote: string[]; lines: string[] } {
  if (!flag(values, "constitution")) return { wrote: [], lines: [] };
  if (!writeConstitution(root, files))
    return { wrote: [], lines: [`${CONSTITUTION_FILE} is there already and stays as it is.`] };
  return {
    wrote: [CONSTITUTION_FILE],
    lines: [`Wrote ${CONSTITUTION_FILE}. Make its articles yours; reviewers judge by them.`],
  };
}

async function shareStatements({ root }: Project): Promise<string[]> {
  const isNew = await shareNotes(root, "origin");
  return [
    isNew ? "git fetch now brings signed statements along." : "git fetch brings signed statements along already.",
  ];
}

/** Trusts the test command and the overlay as they stand now; kept outside the repository. */
export const trust: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  authorize(invocation, project);
  const tests = await createCheckRunner(project.root, { env: project.env, redact: (line) => line }).detectTests();
  const overlay = repositoryOverlay(project);
  const json = { tests, overlay };
  if (tests === null && overlay === null)
    return done(["No way of running tests was found here, and no overlay."], json);
  const about = [...(tests === null ? [] : aboutTests(tests)), ...(overlay === null ? [] : aboutOverlay(overlay))];
  const agreed = flag(invocation.values, "yes") || (await ask(invocation.io, "Trust it?", about));
  if (!agreed) throw new ChoiceNeeded({ kind: "trust", options: ["yes"], flag: "--yes", about });
  const memory = createTrustStore(project.folders.state, project.root, project.files);
  for (const found of [tests, overlay]) if (found !== null) memory.trust(found.digest);
  const lines = [
    ...(tests === null ? [] : [`Trusted: ${plainLine(tests.argv.join(" "))} (${plainLine(tests.source)})`]),
    ...(overlay === null ? [] : [`Trusted: ${overlay.file} as it is now`]),
  ];
  return done(lines, json);
};

function aboutOverlay({ file, loosens }: RepositoryOverlay): string[] {
  if (loosens.length === 0) return [`${file} changes rules of the workflows; nothing in it loosens one.`];
  const parts = loosens.map(({ what, why }) => `  ${plainLine(`${what}: ${why}`)}`);
  return [`${file} would loosen rules or add prompt text. Read it first. With your trust this takes effect:`, ...parts];
}

/** Makes an operator token and shows it this once. */
export const token: Run = (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  if (!freshToken(invocation, project)) authorize(invocation, project);
  const made = createToken(project.folders.config, systemClock.now());
  return Promise.resolve(
    done([made, "Shown once. Pass it in ISDLC_OPERATOR_TOKEN; it is not accepted for a run that is already open."], {
      token: made,
    }),
  );
};
