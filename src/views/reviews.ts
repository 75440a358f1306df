import { buildLedger, bySeverity, type Finding, isOpen, type Ledger } from "../core/findings/ledger.ts";
import type { PhaseRecord } from "../core/run.ts";
import type { Review } from "../schema/api-history.ts";
import type { RunEvent } from "../schema/event.ts";
import type { NamePhase } from "./phase-names.ts";
import { plainLine } from "./plain-text.ts";

/** Lists all reviews of a run, oldest first. */
export function listReviews(events: readonly RunEvent[]): readonly Review[] {
  const reviews: Review[] = [];
  const counts = new Map<string, number>();
  let phase = "";
  for (const event of events) {
    if (event.type === "attempt.started") phase = event.phase;
    const last = reviews.at(-1);
    if (event.type === "draft.produced" && last?.phase === phase && last.changesMade === null)
      reviews[reviews.length - 1] = { ...last, changesMade: event.summary };
    if (event.type !== "verdict.given") continue;
    const iteration = (counts.get(phase) ?? 0) + 1;
    counts.set(phase, iteration);
    const { at, approved, summary, issues, evidence = [], stopped = null } = event;
    reviews.push({ phase, iteration, at, approved, summary, issues, evidence, stopped, changesMade: null });
  }
  return reviews;
}

/** Returns the message after a reviewed phase. */
export function phaseComplete({ iterations, made }: Pick<PhaseRecord, "iterations" | "made">): string {
  const concerns = made?.concerns ?? [];
  if (concerns.length > 0)
    return `Phase complete. Reviewer concerns: ${concerns.map((one) => plainLine(one, 300)).join("; ")}`;
  return `Phase complete (${iterations.length} ${iterations.length === 1 ? "iteration" : "iterations"})`;
}

/** Formats the reviews by phase: one line per verdict, then the state of each finding and the evidence. */
export function reviewLines(reviews: readonly Review[], name: NamePhase): string[] {
  if (reviews.length === 0) return ["There are no reviews here yet."];
  const phases = [...new Set(reviews.map(({ phase }) => phase))];
  return phases.flatMap((phase) => {
    const own = reviews.filter((review) => review.phase === phase);
    const findings = renderFindings(buildLedger(own));
    const proof = (own.at(-1)?.evidence ?? []).map(
      ({ requirement, location }) => `    ${plainLine(requirement, 60)}  ${plainLine(location, 120)}`,
    );
    return [name(phase), ...own.map(verdictLine), ...findings.map((line) => `    ${line}`), ...proof];
  });
}

function verdictLine({ iteration, approved, summary, stopped, issues }: Review): string {
  const word = approved ? "approved" : "not approved";
  const count = issues.length === 0 ? "" : `, ${issues.length} ${issues.length === 1 ? "finding" : "findings"}`;
  const why = stopped === null ? "" : ` Stopped: ${plainLine(stopped)}`;
  return `  ${iteration}. ${word}${count}: ${plainLine(summary, 200)}${why}`;
}

/** Formats one line per finding, by severity: open findings first, then resolved ones. */
export function renderFindings({ findings }: Ledger): string[] {
  const open = findings.filter(isOpen).sort(bySeverity);
  const resolved = findings.filter((finding) => !isOpen(finding)).sort(bySeverity);
  return [...open, ...resolved].map(findingLine);
}

function findingLine(finding: Finding): string {
  const place = plainLine(placeText(finding), 120);
  const parts = [finding.id, finding.severity, ...(place === "" ? [] : [place]), STATES[finding.state]];
  return `${parts.join("  ")}  ${plainLine(finding.description, 200)}`;
}

const STATES: Readonly<Record<Finding["state"], string>> = {
  new: "new",
  caused: "caused by the last fix",
  recurring: "recurring",
  returned: "came back",
  resolved: "resolved",
};

const placeText = ({ file, line, location }: Finding): string =>
  file === null ? (location ?? "") : line === null ? file : `${file}:${line}`;
