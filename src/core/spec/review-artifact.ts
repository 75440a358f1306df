import { type Issue, Verdict } from "../../schema/agent.ts";

export type ArtifactReview = {
  readonly approved: boolean;
  readonly issues: readonly Issue[];
  readonly summary: string;
};

export type ReviewRequest = {
  readonly previous: string | null;
  readonly current: string;
  readonly needs: string;
  /** True if the first answer was unusable. */
  readonly isRepeated: boolean;
};

/** A reviewer. Its answer is validated, because it may return any value. */
export type ArtifactReviewer = (request: ReviewRequest) => Promise<unknown>;

const MAX_ANSWERS = 2;

/**
 * Checks if the next phase can work with an artifact. Rejects an empty artifact or a missing predecessor without
 * calling the reviewer. `previous`: null if the phase has no predecessor, empty if it is missing.
 */
// oxlint-disable-next-line max-params -- the published signature
export async function reviewArtifact(
  previous: string | null,
  current: string,
  needs: string,
  reviewer?: ArtifactReviewer,
): Promise<ArtifactReview> {
  const fault = findFault({ previous, current, needs });
  if (fault !== null) return refused("blocker", fault);
  if (typeof reviewer !== "function") {
    return refused("note", "Not reviewed: only its presence and its predecessor's were checked.");
  }
  for (let answer = 1; answer <= MAX_ANSWERS; answer++) {
    const verdict = await requestVerdict(reviewer, { previous, current, needs, isRepeated: answer > 1 });
    if (verdict !== null) return believed(verdict);
  }
  return refused("note", "No verdict: the reviewer's answers could not be used.");
}

type Material = { readonly previous: unknown; readonly current: unknown; readonly needs: unknown };

/** Callers in plain JavaScript may pass other types. */
function findFault({ previous, current, needs }: Material): string | null {
  if (typeof current !== "string") return "The artifact is not text.";
  if (current.trim() === "") return "The artifact is empty.";
  if (previous !== null && typeof previous !== "string") return "The previous artifact is not text.";
  if (previous !== null && previous.trim() === "") return "The previous artifact is required and missing.";
  if (typeof needs !== "string") return "The needs of the next phase are not text.";
  return null;
}

async function requestVerdict(reviewer: ArtifactReviewer, request: ReviewRequest): Promise<Verdict | null> {
  try {
    const parsed = Verdict.safeParse(await reviewer(request));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // a reviewer that throws gives no verdict, whatever the reason
  }
}

/** A blocker prevents approval, even if the reviewer approved. */
function believed({ approved, issues, summary }: Verdict): ArtifactReview {
  return { approved: approved && !issues.some(({ severity }) => severity === "blocker"), issues, summary };
}

const refused = (severity: Issue["severity"], description: string): ArtifactReview => ({
  approved: false,
  issues: [{ severity, description, location: null }],
  summary: description,
});

const BEFORE_ENTRY = /^(?=## Phase: )/m;
const HEADING_LINES = 3;

/**
 * Adds an entry to a review history, or replaces the one with the same heading. A repeated entry appears once; a more
 * complete entry replaces the earlier one.
 */
export function withHistoryEntry(history: string, entry: string): string {
  const parts = history.split(BEFORE_ENTRY);
  const place = parts.findIndex((part) => readHeading(part) === readHeading(entry));
  const kept = place === -1 ? [...parts, entry] : parts.with(place, entry);
  return `${kept
    .map((part) => part.trimEnd())
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}

/** Returns phase, iteration and time: the first three lines. */
const readHeading = (entry: string): string => entry.split(/\r?\n/, HEADING_LINES).join("\n");
