import { type RunState, mergedAs } from "../../../core/run.ts";
import { statusObject } from "../../../views/status.ts";
import type { Result } from "../invocation/verb.ts";
import { stateHome } from "./private-environment.ts";
import type { SampleProject } from "./sample.ts";

export type DemoEnd = {
  readonly state: RunState;
  readonly result: Result;
  /** True for a user, who may leave at any time. A script runs to the end. */
  readonly mayLeave: boolean;
  /** Location of the sample; null if it is removed. */
  readonly kept: Pick<SampleProject, "folder" | "root"> | null;
};

/** Reports the end of the demo and the next commands to try. */
export function closing(ending: DemoEnd): Result {
  const { state, result, kept } = ending;
  const code = exitCode(ending);
  const left = state.is !== "ended" && code !== 1;
  return {
    code,
    lines: ["", ...(left ? leftLines(kept) : result.lines), "", ...whereLines(kept), ...NEXT],
    json: {
      ok: code === 0,
      run: statusObject(state, { driven: false }),
      gates: listGates(state),
      merged: state.is === "ended" ? mergedAs(state) : null,
      folder: kept?.root ?? null,
    },
  };
}

function exitCode({ state, result: { code }, mayLeave }: DemoEnd): Result["code"] {
  if (code === 130 || code === 143) return code;
  return state.is === "ended" || mayLeave ? 0 : 1;
}

const listGates = (state: RunState): Record<string, unknown>[] =>
  state.is === "none"
    ? []
    : state.answers.map(({ phase, choice, guidance, by, at }) => ({ phase, choice, guidance, by, at }));

function leftLines(kept: DemoEnd["kept"]): string[] {
  if (kept === null) return ["You left the demo before its end."];
  const command = `XDG_STATE_HOME=${stateHome(kept.folder)} isdlc -C ${kept.root}`;
  return ["You left the demo before its end. To continue it:", `  ${command}`];
}

function whereLines(kept: DemoEnd["kept"]): string[] {
  if (kept === null) return ["The sample project was removed; `isdlc demo --keep` keeps it.", ""];
  return [
    `The sample project is in ${kept.root}. Look at:`,
    `  git -C ${kept.root} log --graph --oneline --stat`,
    `  ${kept.root}/docs/requirements    documents of every phase`,
    `  XDG_STATE_HOME=${stateHome(kept.folder)} isdlc -C ${kept.root} history    events of the run`,
    "",
  ];
}

const NEXT: readonly string[] = [
  "The agent was a recording; branch, tests, commits, gates and merge were real.",
  "",
  "Now try it on your code. In your repository:",
  "  isdlc init           Set up the project, and list missing parts",
  '  isdlc "<change>"     Plan, implement and review a small change',
];
