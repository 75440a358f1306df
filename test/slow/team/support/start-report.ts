import { execFileSync } from "node:child_process";
import type { StartFacts } from "../../../../team/src/reports/start-facts.ts";
import type { Team } from "./team.ts";

/** Report of an honest worker for the start of a `change` run. */
export function startReport({ ada, remote }: Team, changed: Partial<StartFacts> = {}) {
  const rev = ["-C", remote, "rev-parse", "refs/heads/main"];
  const commit = execFileSync("git", rev, { env: ada.env, encoding: "utf8" }).trim();
  const facts: StartFacts = {
    folder: null,
    title: "add a greeting",
    phases: ["plan", "implement", "final-review"],
    commit,
    agent: { name: "stub", digest: "0" },
    reviewer: null,
    tests: null,
    warnings: [],
    ...changed,
  };
  return { do: "start", facts } as const;
}
