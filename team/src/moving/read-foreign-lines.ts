import { readJournalBytes } from "../../../src/adapters/journal/journal-heads.ts";
import { genesis } from "../../../src/adapters/journal/record.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { isOwnPath } from "../../../src/core/own-folder.ts";
import { type ActiveRun, noRun, type RunState } from "../../../src/core/run.ts";
import { RefName } from "../../../src/schema/api-team.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { runNotMovable } from "./run-not-movable.ts";
import type { Seal } from "../../../src/ports/journal.ts";

export type ForeignLine = {
  readonly line: string;
  /** Number of the first event. */
  readonly seq: number;
  readonly events: readonly RunEvent[];
  readonly previous: string;
  readonly hash: string;
};

export type ForeignRun = { readonly state: ActiveRun; readonly lines: readonly ForeignLine[] };

/** Accepts every seal: seals of other keys cannot be verified here, and the sender answers for the lines. */
const ANY: Seal = {
  mark() {
    throw new Error("Foreign records cannot be marked.");
  },
  fits: () => true,
};

/**
 * Reads the journal of an open run as sent by a user, and verifies each hash and event. @throws ProblemError
 * RUN_NOT_MOVABLE
 */
export function readForeignLines(run: RunId, sent: readonly string[]): ForeignRun {
  const bytes = Buffer.from(sent.map((line) => `${line}\n`).join(""));
  const { events, heads } = readJournalBytes(bytes, { run, seal: ANY });
  if (heads.length !== sent.length)
    throw runNotMovable(
      `line ${heads.length + 1} does not follow the previous record`,
      "Look at it: isdlc verify-journal",
    );
  const state = events.reduce<RunState>(evolve, noRun);
  if (state.is !== "active" || state.run.run !== run)
    throw runNotMovable("it is not open", "Only open runs are moved.");
  requireDrivable(state);
  if (state.tests?.isChosen === true)
    throw runNotMovable("its test command was chosen on a user's machine", "Finish it here.");
  const lines = sent.map((line, index) => {
    const before = heads[index - 1] ?? { seq: 0, hash: genesis(run) };
    const { seq, hash } = heads[index] ?? before;
    return { line, seq: before.seq + 1, events: events.slice(before.seq, seq), previous: before.hash, hash };
  });
  return { state, lines };
}

/** Rejects runs for which a worker would lack something, or would have to trust a user's machine. */
function requireDrivable({ run }: ActiveRun): void {
  const { branch = null, base = null } = run.git ?? {};
  const names = [branch, base].filter((name) => name !== null);
  const isPlain = !isOwnPath(run.item) || run.item.startsWith(".isdlc/work/");
  if (run.scope !== "tree" || run.git === null)
    throw runNotMovable(
      "it has no branch for a worker to continue on",
      "Only runs of a working tree with git are moved.",
    );
  if (!isPlain || names.some((name) => !RefName.safeParse(name).success))
    throw runNotMovable("it names a path or a branch that it may not have", "Look at it: isdlc verify-journal");
  if ((run.passkeys ?? []).length > 0)
    throw runNotMovable("its decisions are signed with passkeys, which the team does not take yet", "Finish it here.");
}
