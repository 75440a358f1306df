import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOption, WaitView } from "../../../src/schema/api.ts";
import { useAnswer } from "../answering.ts";
import { AnswerDialog } from "../parts/answer-dialog.tsx";
import { formatAge, readingText, usageText } from "../words.ts";
import { Questions } from "./questions.tsx";

type WaitOf<K extends WaitView["kind"]> = Extract<WaitView, { kind: K }>;

const TITLES: { readonly [K in WaitView["kind"]]: string } = {
  gate: "A phase is done and waits for your review",
  questions: "The agent has questions",
  escalation: "A step failed",
  sizing: "How large is this work?",
  budget: "The budget needs your decision",
  finish: "All phases are done. Merge, open a pull request, or keep the branch?",
};

/** Without a base branch, a merge is not possible. */
const waitTitle = (wait: WaitView): string =>
  wait.kind === "finish" && wait.base === null ? "All phases are done. How should the run finish?" : TITLES[wait.kind];

export function WaitCard({ run, wait }: { readonly run: string; readonly wait: WaitView }) {
  return (
    <section className={`wait wait-${wait.kind}`} aria-labelledby="wait-title">
      <div className="wait-head">
        <h2 id="wait-title">{waitTitle(wait)}</h2>
        <span className="subtle">waiting {formatAge(wait.openedAt)}</span>
      </div>
      <WaitBody wait={wait} />
      {wait.kind === "gate" ? (
        <div className="wait-foot">
          <Link to="/runs/$run/gate" params={{ run }} className="button button-primary">
            Open the review
          </Link>
          <span className="subtle">{readingText(wait.toRead)}</span>
        </div>
      ) : wait.kind === "questions" ? (
        <Questions run={run} wait={wait} />
      ) : (
        <Options run={run} wait={wait} />
      )}
    </section>
  );
}

function WaitBody({ wait }: { readonly wait: WaitView }) {
  switch (wait.kind) {
    case "escalation":
      return (
        <>
          <p>{wait.what}</p>
          <pre className="detail" tabIndex={0}>
            {wait.detail}
          </pre>
        </>
      );
    case "sizing":
      return <SizingBody wait={wait} />;
    case "budget":
      return (
        <p>
          {wait.unknown === true && "The amount is unknown: an agent reported an impossible usage. At least this. "}
          Used so far: {usageText(wait.spent)}. Allowed:{" "}
          {wait.budget.usd === null ? `${wait.budget.tokens ?? 0} tokens` : `$${wait.budget.usd.toFixed(2)}`}.
          {wait.ahead !== undefined && ` What comes next would exceed it: it takes about ${usageText(wait.ahead)}.`}
        </p>
      );
    case "finish":
      return <FinishBody wait={wait} />;
    case "gate":
    case "questions":
      return null;
    default:
      return wait satisfies never;
  }
}

function SizingBody({ wait: { sizing } }: { readonly wait: WaitOf<"sizing"> }) {
  const { metrics } = sizing;
  return (
    <>
      <p>
        Recommended: <strong>{sizing.recommended}</strong>. {sizing.rationale}
      </p>
      {metrics === null ? (
        <p className="subtle">Metrics: none found.</p>
      ) : (
        <dl className="totals">
          {[
            ["Files", metrics.file_count],
            ["Modules", metrics.module_count],
            ["Risk", metrics.risk_score],
            ["Coupling", metrics.coupling],
            ["Coverage gaps", metrics.coverage_gaps],
          ].map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function FinishBody({ wait: { concerns, base } }: { readonly wait: WaitOf<"finish"> }) {
  return (
    <>
      {base === null ? null : <p className="subtle">A merge goes into {base}.</p>}
      {concerns.length === 0 ? null : (
        <div className="notice notice-warn">
          <strong>Open concerns</strong>
          <ul>
            {concerns.map(({ phase, text }) => (
              <li key={`${phase}${text}`}>
                {phase}: {text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Options({ run, wait }: { readonly run: string; readonly wait: WaitView }) {
  const [asked, setAsked] = useState<AnswerOption | null>(null);
  const { answer, isSending } = useAnswer(run);
  const target = { run, wait: wait.id, shown: wait.shown };
  const press = (option: AnswerOption): void => {
    if (option.needs === "nothing") void answer({ ...target, option: option.option }, () => undefined);
    else setAsked(option);
  };
  return (
    <ul className="options">
      {wait.options.map((option) => (
        <li key={option.option}>
          <button
            type="button"
            className={`button button-${option.tone}`}
            disabled={isSending}
            onClick={() => press(option)}
          >
            {option.label}
          </button>
          <span className="subtle">{option.effect}</span>
        </li>
      ))}
      {asked === null ? null : (
        <AnswerDialog option={asked} target={target} backTo={[]} onClose={() => setAsked(null)} />
      )}
    </ul>
  );
}
