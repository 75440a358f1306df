import type { GateView } from "../../../src/schema/api.ts";
import { CheckIcon, CrossIcon, QuestionIcon } from "../parts/icons.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { dateText, placeText } from "../words.ts";
import type { Navigation } from "./navigation.ts";
import { ChangeAt } from "./change-at.tsx";
import { commentEntry, EarlierNote, failureEntry, FailureNote, findingEntry, FindingNote } from "./notes.tsx";

/** Displays the evidence for and against the work, before its documents and code. */
type OverviewProps = { readonly gate: GateView; readonly goToLine: Navigation["goToLine"] };

export function Overview({ gate, goToLine }: OverviewProps) {
  return (
    <section aria-labelledby="overview" className="gate-section">
      <h2 id="overview" className="visually-hidden">
        Overview
      </h2>
      <Warnings gate={gate} />
      <Verdict gate={gate} />
      <Failures gate={gate} goToLine={goToLine} />
      <Compared gate={gate} />
      <Earlier gate={gate} goToLine={goToLine} />
      <Findings gate={gate} goToLine={goToLine} />
      <details className="summary">
        <summary>Summary of the phase</summary>
        <Markdown text={gate.summary} />
      </details>
    </section>
  );
}

function Warnings({ gate }: { readonly gate: GateView }) {
  const lists = [
    {
      title: "Reopened: files changed after you reviewed them",
      texts: gate.failures.map(({ name, detail }) => `${name}: ${detail}`),
    },
    { title: "The test setup has changed", texts: gate.testsChanged === null ? [] : [gate.testsChanged] },
    { title: "Read these first: they act by themselves, or their names deceive", texts: gate.acting },
    { title: "About the repository", texts: gate.notices },
    { title: "Open concerns", texts: gate.concerns },
    { title: "Changed, and not mentioned by the agent", texts: gate.unmentioned },
    { title: "About the tests", texts: gate.testNotes },
    { title: "Files written outside this phase's scope", texts: gate.unexpected },
    { title: "Denied actions", texts: gate.denied },
    { title: "Supervision", texts: gate.loosened === null ? [] : [gate.loosened] },
  ].filter(({ texts }) => texts.length > 0);
  return lists.map(({ title, texts }) => (
    <div key={title} className="notice notice-warn">
      <strong>{title}</strong>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  ));
}

const NOT_STARTED = { word: "could not be started", Icon: CrossIcon, tone: "bad" } as const;

const CHECK = {
  true: { word: "passed", Icon: CheckIcon, tone: "good" },
  false: { word: "failed", Icon: CrossIcon, tone: "bad" },
  null: { word: "not run", Icon: QuestionIcon, tone: "plain" },
} as const;

/** Only failures from before the run, with which a user continued. */
const KNOWN = { word: "without new failures", Icon: QuestionIcon, tone: "plain" } as const;

/** If the test runner named no tests, new failures look like known ones. */
const AS_BEFORE = { ...KNOWN, word: "failed as before the run" } as const;

function checkPicture({ ok, isKnown, notStarted, against }: GateView["checks"][number]) {
  if (notStarted === true) return NOT_STARTED;
  if (isKnown === true) return against === undefined ? AS_BEFORE : KNOWN;
  return CHECK[`${ok}`];
}

type Counts = NonNullable<GateView["testsBefore"]>;

function countsText({ passed, failed }: Counts, before: Counts | null): string {
  const now = `${passed} passed, ${failed} failed`;
  return before === null ? now : `${now}; before the run ${before.passed} passed, ${before.failed} failed`;
}

function Verdict({ gate }: { readonly gate: GateView }) {
  return (
    <ul className="verdicts" aria-label="Checks and review">
      {gate.checks.map((check) => {
        const { word, Icon, tone } = checkPicture(check);
        return (
          <li key={check.name} className={`verdict verdict-${tone}`} title={check.missing ?? check.detail}>
            <Icon /> {check.name} {word}
            {check.counts === undefined ? null : (
              <span className="subtle">{countsText(check.counts, gate.testsBefore)}</span>
            )}
          </li>
        );
      })}
      {gate.hasReviewer ? (
        <li className={`verdict verdict-${gate.isApproved ? "good" : "plain"}`}>
          {gate.isApproved ? <CheckIcon /> : <QuestionIcon />}
          {gate.isApproved ? "reviewer approved" : "not approved by the reviewer"}
        </li>
      ) : null}
    </ul>
  );
}

const COMPARED = [
  ["added", "Newly failing", "bad"],
  ["still", "Failing since before the run", "plain"],
  ["fixed", "Fixed since the run started", "good"],
] as const;

/** Displays tests by comparison with the results from before the run. */
function Compared({ gate: { checks } }: { readonly gate: GateView }) {
  const against = checks.find((check) => check.against !== undefined)?.against;
  const lists = COMPARED.filter(([key]) => (against?.[key] ?? []).length > 0);
  if (against === undefined || lists.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="compared">
      <h3 id="compared">Tests, compared with before the run</h3>
      {lists.map(([key, title, tone]) => (
        <div key={key} className={`compared compared-${tone}`}>
          <strong>{title}</strong>
          <ul>
            {against[key].map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function Failures({ gate: { failed }, goToLine }: OverviewProps) {
  if (failed.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="failures">
      <h3 id="failures">What failed</h3>
      {failed.map((failure) => (
        <div key={failureEntry(failure)} className="earlier" data-entry={failureEntry(failure)}>
          <PlaceLink path={failure.file} line={failure.line} onGo={goToLine} />
          <FailureNote failure={failure} />
        </div>
      ))}
    </section>
  );
}

/** Displays the comments of all rounds with the agent's replies, newest first. */
function Earlier({ gate, goToLine }: OverviewProps) {
  if (gate.earlier.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="earlier">
      <h3 id="earlier">Your comments and the agent's replies</h3>
      {gate.earlier.map((round, index) => (
        <details key={round.at} open={index === 0}>
          <summary className="subtle">
            {round.by}, {dateText(round.at)}
          </summary>
          {round.guidance === null || round.guidance === "" ? null : <p className="quote">{round.guidance}</p>}
          {round.comments.map(({ comment, reply }) => (
            <div key={comment.id} className="earlier" data-entry={commentEntry(comment)}>
              <PlaceLink
                path={comment.place?.path ?? null}
                line={comment.place?.line ?? null}
                text={comment.place === null ? null : placeText(comment.place)}
                side={comment.place?.side ?? "new"}
                onGo={goToLine}
              />
              <EarlierNote comment={comment} reply={reply}>
                {comment.place === null || !gate.isGit || index > 0 ? null : (
                  <ChangeAt gate={gate} place={comment.place} />
                )}
              </EarlierNote>
            </div>
          ))}
        </details>
      ))}
    </section>
  );
}

type PlaceProps = {
  readonly path: string | null;
  readonly line: number | null;
  readonly side?: "old" | "new";
  readonly text?: string | null;
  readonly onGo: Navigation["goToLine"];
};

function PlaceLink({ path, line, side = "new", text, onGo }: PlaceProps) {
  if (path === null || line === null) return text ? <span className="path subtle">{text}</span> : null;
  return (
    <button type="button" className="path place-link" onClick={() => onGo({ path, line, side })}>
      {text ?? `${path}:${line}`}
    </button>
  );
}

function Findings({ gate, goToLine }: OverviewProps) {
  const open = gate.findings.filter(({ state }) => state !== "resolved");
  const resolved = gate.findings.filter(({ state }) => state === "resolved");
  if (gate.findings.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="findings">
      <h3 id="findings">Reviewer findings</h3>
      {open.length === 0 ? <p className="subtle">No open findings.</p> : null}
      {open.map((finding) => (
        <div key={finding.id} className="earlier" data-entry={findingEntry(finding)}>
          <PlaceLink path={finding.file} line={finding.line} text={finding.location} onGo={goToLine} />
          <FindingNote finding={finding} />
        </div>
      ))}
      {resolved.length === 0 ? null : (
        <details>
          <summary>
            {resolved.length} resolved {resolved.length === 1 ? "finding" : "findings"}
          </summary>
          {resolved.map((finding) => (
            <FindingNote key={finding.id} finding={finding} />
          ))}
        </details>
      )}
    </section>
  );
}
