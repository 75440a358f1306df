import { createCheckRunner } from "../../../adapters/checks/create-check-runner.ts";
import { createToken } from "../../../adapters/caller/operator-token.ts";
import { createTreeMemory } from "../../../adapters/user-files/tree-memory.ts";
import { ask } from "../ask.ts";
import { decider, freshToken } from "../authority.ts";
import { createBackend } from "../agents.ts";
import { ChoiceNeeded } from "../choice.ts";
import { openProject, systemClock } from "../project.ts";
import { setUp } from "../set-up.ts";
import { aboutTests } from "../settle-tests.ts";
import { done, flag, type Run } from "../verb.ts";
import { starterOf } from "../authority.ts";

/** Sets up `.isdlc/` and says what it found. */
export const init: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  starterOf(invocation, project);
  const wrote = setUp(project);
  const claude = await createBackend({ name: "claude", argv: null }, project.env).probe();
  const found = "code" in claude ? null : claude.version;
  const lines = [
    wrote.length === 0 ? ".isdlc/ is already set up." : `Wrote ${wrote.join(", ")} (undo: remove the folder .isdlc).`,
    found === null
      ? "No agent found. Install one: npm install -g @anthropic-ai/claude-code"
      : `Claude Code ${found} found.`,
    'Begin: isdlc "<what to do>"',
  ];
  return done(lines, { wrote, agents: found === null ? [] : [{ name: "claude", version: found }] });
};

/** Trusts the test command as it stands now; kept outside the repository. */
export const trust: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  decider(invocation, project);
  const found = await createCheckRunner(project.root, { env: project.env, redact: (line) => line }).detectTests();
  if (found === null) return done(["No way of running tests was found here."], { tests: null });
  const about = aboutTests(found);
  const agreed = flag(invocation.values, "yes") || (await ask(invocation.io, "Trust it?", about));
  if (!agreed) throw new ChoiceNeeded({ kind: "trust", options: ["yes"], flag: "--yes", about });
  createTreeMemory(project.folders.state, project.root, project.files).trust(found.digest);
  return done([`Trusted: ${found.argv.join(" ")} (${found.source})`], { tests: found });
};

/** Makes an operator token and shows it this once. */
export const token: Run = (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  if (!freshToken(invocation, project)) decider(invocation, project);
  const made = createToken(project.folders.config, systemClock.now());
  return Promise.resolve(
    done([made, "Shown once. Pass it in ISDLC_OPERATOR_TOKEN; it is not accepted for a run that is already open."], {
      token: made,
    }),
  );
};
