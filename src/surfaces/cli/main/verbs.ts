import { clearLeftFolders } from "../../../adapters/files/temporary-folder.ts";
import { existsSync } from "node:fs";
import { loginPath, userFolders } from "../../../adapters/files/user-folders.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject } from "../../../compose/project.ts";
import { findVerb } from "../grammar/catalog.ts";
import { completionScript } from "../grammar/completion.ts";
import { helpLines, overview } from "../grammar/help.ts";
import { done, flag, type Run } from "../invocation/verb.ts";
import { loadBundle } from "./load-bundle.ts";
import { type Host, runCli } from "./run-cli.ts";
import { adopt } from "../verbs/adopt.ts";
import { agents } from "../verbs/agents.ts";
import { answer, cancel, goBack, retryOrSkip, shortAnswer } from "../verbs/answer.ts";
import { attestVerb } from "../verbs/attest.ts";
import { begin, recover, resume, run } from "../verbs/begin.ts";
import { config } from "../verbs/config.ts";
import { demo } from "../verbs/demo.ts";
import { doctor, verifyJournalVerb } from "../verbs/doctor.ts";
import { workflowRows } from "../verbs/explain.ts";
import { exportVerb } from "../verbs/export.ts";
import { finish } from "../verbs/finish.ts";
import { firstContact, isFirstContact } from "../verbs/first-contact.ts";
import { history } from "../verbs/history.ts";
import { hook } from "../verbs/hook.ts";
import { importVerb } from "../verbs/import.ts";
import { install, uninstall } from "../verbs/install.ts";
import { add, analyze, items } from "../verbs/items.ts";
import { logs } from "../verbs/logs.ts";
import { check, gate } from "../verbs/look.ts";
import { passkey } from "../verbs/passkey.ts";
import { beginVerb, report } from "../verbs/session.ts";
import { init, token, trust } from "../verbs/set-up.ts";
import { specPhase, verify } from "../verbs/spec.ts";
import { openWorkLines } from "../terminal/active-feature.ts";
import { statusAll } from "../verbs/status-all.ts";
import { nextVerb, status } from "../verbs/status.ts";
import type * as TeamVerbs from "../verbs/team/team-verbs.ts";
import { verifyCommits } from "../verbs/verify-commits.ts";

const help: Run = ({ words, values }) => {
  const verb = findVerb(words[0] ?? "");
  const workflows = verb?.name === "run" ? workflowRows() : [];
  return Promise.resolve(done([...helpLines(words[0], flag(values, "all")), ...workflows], { verb: verb ?? null }));
};

const completion: Run = ({ words }) => {
  const script = completionScript(words[0] ?? "");
  return Promise.resolve(done([script], { script }));
};

/**
 * Shows what isdlc found before the first run, later the overview. If a run is open, shows its state, and at a terminal
 * its menu.
 */
const bare: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const { state } = await currentRun(project);
  if (state.is === "active") return recover(invocation, project);
  const work = await openWorkLines(project);
  const isFirst = work.length === 0 && state.is === "none" && isFirstContact(project);
  return done(isFirst ? await firstContact(project) : [...work, ...overview], { run: null });
};

const mcp: Run = async ({ cwd, env }) => {
  const { serve } = loadBundle("mcp.cjs") as { serve: (cwd: string, env: NodeJS.ProcessEnv) => Promise<void> }; // built into the same folder; large and rarely needed
  await serve(cwd, env);
  return done([]);
};

type OnTeam = "teamStatus" | "teamGate" | "teamAnswer" | "teamHistory" | "teamLogs" | "teamItems" | "teamBegin";

/** In the same bundle but initialized on demand, because few users are in a team. */
const teamVerbs = (): typeof TeamVerbs => require("../verbs/team/team-verbs.ts") as typeof TeamVerbs;

/**
 * Runs a command on the run here, or on a team's run if none is open here. Loads no team code unless the user is
 * signed in to a server or sets `--team`.
 */
const alsoOnTeam =
  (here: Run, there: OnTeam): Run =>
  async (invocation) => {
    if (!existsSync(loginPath(userFolders(invocation.env))) && !flag(invocation.values, "team"))
      return here(invocation);
    return (await teamVerbs()[there](invocation)) ?? here(invocation);
  };

/** Runs a command that exists only for teams. */
const teamOnly =
  (name: "login" | "request" | "pushRun" | "pullRun" | "team" | "teamPackage"): Run =>
  (invocation) =>
    teamVerbs()[name](invocation);

const beginHere = alsoOnTeam(begin, "teamBegin");
const answerHere = alsoOnTeam(shortAnswer, "teamAnswer");
const statusHere = alsoOnTeam(status, "teamStatus");

const runs: Readonly<Record<string, Run>> = {
  bare,
  do: beginHere,
  feature: beginHere,
  fix: beginHere,
  build: beginHere,
  run: alsoOnTeam(run, "teamBegin"),
  brainstorm: specPhase,
  specify: specPhase,
  adopt,
  design: specPhase,
  "create-plan": specPhase,
  "create-tasks": specPhase,
  implement: specPhase,
  verify,
  finish,
  hook,
  init,
  add,
  analyze,
  items: alsoOnTeam(items, "teamItems"),
  status: (invocation) => (flag(invocation.values, "all") ? statusAll(invocation) : statusHere(invocation)),
  next: nextVerb,
  begin: beginVerb,
  report,
  mcp,
  install,
  uninstall,
  logs: alsoOnTeam(logs, "teamLogs"),
  gate: alsoOnTeam(gate, "teamGate"),
  check,
  history: alsoOnTeam(history, "teamHistory"),
  continue: answerHere,
  review: answerHere,
  redo: answerHere,
  retry: alsoOnTeam(retryOrSkip, "teamAnswer"),
  skip: alsoOnTeam(retryOrSkip, "teamAnswer"),
  back: alsoOnTeam(goBack, "teamAnswer"),
  fresh: alsoOnTeam(goBack, "teamAnswer"),
  answer: alsoOnTeam(answer, "teamAnswer"),
  resume,
  cancel: alsoOnTeam(cancel, "teamAnswer"),
  config,
  trust,
  token,
  doctor,
  agents,
  "verify-journal": verifyJournalVerb,
  attest: attestVerb,
  export: exportVerb,
  import: importVerb,
  "verify-commits": verifyCommits,
  demo,
  ui: (invocation) => (require("./ui.cjs") as { ui: Run }).ui(invocation), // built into the same folder, loaded on demand
  passkey,
  login: teamOnly("login"),
  request: teamOnly("request"),
  "push-run": teamOnly("pushRun"),
  "pull-run": teamOnly("pullRun"),
  team: teamOnly("team"),
  server: teamOnly("teamPackage"),
  worker: teamOnly("teamPackage"),
  completion,
  help,
};

/** Returns the implementation of a command, for interfaces with their own parser. */
export const findImplementation = (name: string): Run | undefined => runs[name];

/** Runs any command, and removes temporary folders of killed ones. The fast commands of `bin.ts` skip this cleanup. */
export function runAll(args: readonly string[], host: Host): Promise<number> {
  void clearLeftFolders();
  return runCli(args, host, findImplementation);
}
