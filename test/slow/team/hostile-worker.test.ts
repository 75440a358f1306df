import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { shownDigest } from "../../../src/app/answer/answer.ts";
import { currentPhase } from "../../../src/core/run.ts";
import { rollDice } from "../../support/dice.ts";
import { forgeReport } from "../../team/reports/forge-report.ts";
import { createForgingProxy, type ForgingProxy } from "./support/forging-proxy.ts";
import { startReport } from "./support/start-report.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { claimRun, look, untilRests } from "./support/team-runs.ts";

const SEED = Number(process.env["ISDLC_SEED"] ?? Date.now() % 1_000_000);
const CHOICES = [{ flag: "--tests", option: "without" }];
const START = { what: "run", workflow: "change", title: "add a greeting", isSupervised: false, choices: CHOICES };
const REPORTS = /\/api\/worker\/runs\/[^/]+\/commands/;

/** Decisions that a worker must not make in the start of a run, and false facts. */
const FORGED: Readonly<Record<string, unknown>> = {
  supervision: { enabled: false, phases: "all" },
  settings: { is: "set", enabled: false, phases: "all", minimal: false },
  options: { mode: "quick", light: true, commits: "phase", finish: "merge", sizing: "accept" },
  plan: [],
  git: { branch: "main", base: "main", commit: "0".repeat(40) },
  branch: "main",
  by: { name: "bob", channel: "terminal" },
  passkeys: [],
  workflow: "fix",
  scope: "item",
  phases: ["final-review"],
  title: "something else",
  folder: "../main",
  commit: "f".repeat(40),
};

describe.runIf(hasPostgres)("worker with forged reports [S7]", () => {
  let team: Team;
  let proxy: ForgingProxy;
  let bobs: string;
  beforeAll(async () => {
    team = await createTeam();
    bobs = await team.token("person", "bob");
    await team.administer("role", "sample", "bob", "reviewer");
    await team.administer("policy", "sample", "--four-eyes", "on");
    proxy = await createForgingProxy(team.url);
  });
  const begin = async (): Promise<string> =>
    (await team.ask(team.adas, "/api/runs", { repository: "sample", start: START })).body.run as string;

  test("cannot choose options when it starts a run", async () => {
    const worker = await team.token("worker", "w9");
    const run = await begin();
    const { epoch } = await claimRun(team, worker, run);
    const report = (command: object, request: string) =>
      team.ask(worker, `/api/worker/runs/${run}/commands`, { command, epoch, request, after: 0, left: null });
    for (const [field, value] of Object.entries(FORGED)) {
      const { do: _do, facts } = startReport(team);
      const answer = await report({ do: "start", facts: { ...facts, [field]: value } }, field);
      expect(answer, field).toMatchObject({ status: 403, body: { problem: { code: "NOT_ALLOWED" } } });
    }
    expect((await team.row(run)).head_seq).toBe(0);
    expect(await report(startReport(team), "honest")).toMatchObject({ status: 200, body: { ok: true } });
    const { state } = await look(team, run);
    expect(state).toMatchObject({
      run: { by: { name: "ada" }, options: { finish: "ask", sizing: "ask" }, git: { base: "main" } },
    });
    expect(state.is === "active" ? state.run.git?.branch : null).toMatch(/^change\/add-a-greeting/);
    const back = { epoch, why: "drains", detail: "" };
    await team.ask(worker, `/api/worker/runs/${run}/give-back`, back);
    await team.ask(bobs, `/api/runs/${run}/answer`, { wait: null, shown: "", option: "cancel", text: "done" });
  });

  test("opens no gate and merges nothing without an answer", async () => {
    const before = team.ada.git("ls-remote", "origin", "refs/heads/main");
    const dice = rollDice(SEED);
    proxy.forge(
      REPORTS,
      (body) => {
        if (dice.chance(10)) return { ...body, left: { ...(body["left"] as object), branch: "main" } };
        const command = body["command"] as Readonly<Record<string, unknown>>;
        return dice.chance(50) ? { ...body, command: forgeReport(command, dice) } : body;
      },
      true,
    );
    await team.workerAt(proxy.url, "w1");
    const run = await begin();
    for (let answers = 0; (await untilRests(team, run)) === "wait" && answers < 40; answers++) {
      const { state } = await look(team, run);
      if (state.is !== "active" || state.wait === null) continue;
      const { id, kind } = state.wait;
      const option = kind === "finish" ? "keep" : kind === "gate" ? "continue" : "retry";
      await team.ask(bobs, `/api/runs/${run}/answer`, { wait: id, shown: shownDigest(state), option });
    }
    const { events } = await look(team, run);
    const accepted = events.filter((event) => event.type === "phase.accepted" && event.by === "engine");
    expect(accepted.length, `seed ${SEED}`).toBeLessThanOrEqual(1); // only the implementation has no gate
    const chosen = events.filter((event) => event.type === "finish.chosen");
    expect(
      chosen.every(({ by }) => by !== "engine"),
      `seed ${SEED}`,
    ).toBe(true);
    expect(team.ada.git("ls-remote", "origin", "refs/heads/main"), `seed ${SEED}`).toBe(before);
    console.log(`seed ${SEED}: ${proxy.count.refused} forged reports refused, ${proxy.count.accepted} accepted`);
    expect(proxy.count.refused).toBeGreaterThan(5);
  });

  test("commits no file that the gate does not show: the server names it there", async () => {
    let forged = "";
    proxy.forge(REPORTS, (body, path) => {
      const command = body["command"] as { readonly outcome?: { readonly made?: { readonly tree?: string } } };
      const made = command.outcome?.made;
      if (made?.tree === undefined || forged !== "") return body;
      forged = withFile(team, { run: path.split("/")[4] ?? "", tree: made.tree, file: "evil.js" });
      return {
        ...body,
        command: { ...command, outcome: { ...command.outcome, made: { ...made, commitTree: forged } } },
      };
    });
    const run = await begin();
    await untilRests(team, run);
    const { state } = await look(team, run);
    const made = state.is === "active" ? currentPhase(state)?.made : null;
    expect(made).toMatchObject({ commitTree: forged, unshown: ["evil.js"], reportedBy: ["w1"] });
    const gate = await team.as(bobs, "gate", "--run", run);
    expect(gate.stdout).toContain("changed in the commit, not in the diff: evil.js");
    expect(gate.stdout).toContain("Checks and review: reported by w1, not verified");
  });
});

type AddedFile = { readonly run: string; readonly tree: string; readonly file: string };

/** Pushes a tree with one more file for a run, as its worker could. Returns the tree. */
function withFile({ ada, remote }: Team, { run, tree, file }: AddedFile): string {
  const env = { ...ada.env, GIT_INDEX_FILE: join(ada.base, "evil-index") };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: remote, env, encoding: "utf8", input: "steal()\n" }).trim();
  git("read-tree", tree);
  git("update-index", "--add", "--cacheinfo", `100644,${git("hash-object", "-w", "--stdin")},${file}`);
  const made = git("write-tree");
  git("update-ref", `refs/isdlc/${run}/${made}`, made);
  return made;
}
