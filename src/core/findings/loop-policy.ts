import { bySeverity, type Finding, isOpen, type Ledger, buildLedger, type Mention, type Iteration } from "./ledger.ts";

export type LoopSoFar = {
  /** Verdicts of this attempt, oldest first. */
  readonly iterations: readonly Iteration[];
  /** Maximum number of verdicts in the attempt. */
  readonly limit: number;
  /** Verdicts of earlier attempts. They give findings their ids, but do not count towards the limit or a pattern. */
  readonly earlier?: readonly Iteration[];
};

export type StopReason = "approved" | "limit" | "recurring" | "flipping" | "causing";

export type AfterVerdict = {
  readonly leadsTo: "complete" | "produce";
  /** Null while the loop continues. Any reason but `approved` completes the phase with concerns. */
  readonly stopped: StopReason | null;
  /** Explanation for the user if the loop ended without approval. */
  readonly why: string | null;
  /** Open findings of every severity after the last verdict, blockers first. */
  readonly open: readonly Finding[];
};

/**
 * Decides if another revision is worth its cost. Only blockers count: warnings and notes vary from review to review. A
 * blocker overrides `approved`; a verdict without blockers is not an approval.
 */
export function afterVerdict({ iterations, limit, earlier = [] }: LoopSoFar): AfterVerdict {
  const ledger = buildLedger([...earlier, ...iterations]);
  const open = iterations.length === 0 ? [] : ledger.findings.filter(isOpen).sort(bySeverity);
  if (isApproved(iterations.at(-1))) return { leadsTo: "complete", stopped: "approved", why: null, open };
  const pattern = patternIn(listTurns(ledger, earlier.length));
  if (iterations.length >= limit) {
    const why = `The reviewer did not approve within ${counted(limit, "verdict")}.`;
    return { leadsTo: "complete", stopped: "limit", why: pattern === null ? why : `${why} ${pattern.why}`, open };
  }
  if (pattern !== null) return { leadsTo: "complete", ...pattern, open };
  return { leadsTo: "produce", stopped: null, why: null, open };
}

const isApproved = (iteration: Iteration | undefined): boolean =>
  iteration !== undefined && iteration.approved && iteration.issues.every(({ severity }) => severity !== "blocker");

/** Effect of one revision on the blockers, as ids. */
type RevisionRound = {
  readonly blockers: readonly string[];
  /** Blockers before the revision, but not after it: resolved, or reported with lower severity. */
  readonly cleared: readonly string[];
  /** Blockers after the revision, but not before it. */
  readonly added: readonly string[];
  /** Added blockers that an earlier revision of this attempt had cleared. */
  readonly returned: readonly string[];
  readonly caused: readonly string[];
};

function listTurns({ iterations }: Ledger, from: number): readonly RevisionRound[] {
  const own = iterations.slice(from).map((mentions) => ({ mentions, blockers: blockersIn(mentions) }));
  const clearedSoFar = new Set<string>();
  return own.slice(1).map(({ mentions, blockers }, index) => {
    const before = own[index]?.blockers ?? [];
    const added = blockers.filter((id) => !before.includes(id));
    const returned = added.filter((id) => clearedSoFar.has(id));
    const cleared = before.filter((id) => !blockers.includes(id));
    for (const id of cleared) clearedSoFar.add(id);
    const fresh = new Set(mentions.filter(({ state }) => state === "caused").map(({ id }) => id));
    return { blockers, cleared, added, returned, caused: added.filter((id) => fresh.has(id)) };
  });
}

const blockersIn = (mentions: readonly Mention[]): readonly string[] =>
  mentions.filter((mention) => isOpen(mention) && mention.severity === "blocker").map(({ id }) => id);

type Pattern = { readonly stopped: "recurring" | "flipping" | "causing"; readonly why: string };

/** Finds a sign that further revisions will not help. */
function patternIn(turns: readonly RevisionRound[]): Pattern | null {
  const last = turns.at(-1);
  if (last === undefined || last.blockers.length === 0) return null;
  const lastTwo = turns.length < 2 ? [] : turns.slice(-2);
  if (isFlip(last)) {
    const why = `${named(last.returned)} had been resolved and came back: the revisions go back and forth.`;
    return { stopped: "flipping", why };
  }
  if (lastTwo.length > 0 && lastTwo.every(isStill)) {
    const why = `Two revisions in a row resolved no blocker: ${named(last.blockers)} stayed open.`;
    return { stopped: "recurring", why };
  }
  if (lastTwo.length > 0 && lastTwo.every(isTreadmill)) {
    const why = `Two revisions in a row caused at least as many blockers as they resolved, the last one ${named(last.caused)}.`;
    return { stopped: "causing", why };
  }
  return null;
}

/** If more blockers were cleared than came back, the repair was incomplete: that is not a flip. */
const isFlip = ({ returned, cleared }: RevisionRound): boolean =>
  returned.length > 0 && returned.length >= cleared.length;

const isStill = ({ cleared, added }: RevisionRound): boolean => cleared.length === 0 && added.length === 0;

const isTreadmill = ({ cleared, caused }: RevisionRound): boolean =>
  caused.length > 0 && caused.length >= cleared.length;

const MAX_NAMED_FINDINGS = 5;

function named(ids: readonly string[]): string {
  const rest = ids.length - MAX_NAMED_FINDINGS;
  if (rest > 0) return `${ids.slice(0, MAX_NAMED_FINDINGS).join(", ")} and ${rest} more`;
  return ids.length < 2 ? ids.join("") : `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
