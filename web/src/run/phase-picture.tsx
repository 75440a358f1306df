import type { PhaseView, RunDetail } from "../../../src/schema/api.ts";
import { CheckIcon, CrossIcon, GateIcon, PlayIcon } from "../parts/icons.tsx";
import { plural } from "../words.ts";

const WORDS: { readonly [S in PhaseView["status"]]: string } = {
  pending: "to come",
  in_progress: "in progress",
  completed: "done",
  skipped: "skipped",
  dropped: "left out by sizing",
};

/** Displays the workflow as a line of phases, with the current phase and the gates. */
export function PhasePicture({ detail }: { readonly detail: RunDetail }) {
  const current = detail.row.phase?.key ?? null;
  return (
    <ol className="phases" aria-label="Phases" tabIndex={0}>
      {detail.phases.map((phase) => (
        <li
          key={phase.key}
          className={`phase phase-${phase.status} ${phase.key === current ? "phase-current" : ""}`}
          aria-current={phase.key === current ? "step" : undefined}
        >
          <span className="phase-mark">{phaseMark(phase, phase.key === current)}</span>
          <span className="phase-name">{phase.name}</span>
          <span className="phase-facts">{describePhase(phase)}</span>
          {phase.hasGate ? (
            <span className="phase-gate" title="Review gate after this phase">
              <GateIcon size={12} />
              <span className="visually-hidden">gate</span>
            </span>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

function phaseMark({ status }: PhaseView, isCurrent: boolean) {
  if (status === "completed" && !isCurrent) return <CheckIcon size={12} />;
  if (status === "skipped" || status === "dropped") return <CrossIcon size={12} />;
  return isCurrent ? <PlayIcon size={12} /> : null;
}

function describePhase({ status, attempts, redos, iterations, concerns }: PhaseView): string {
  const facts = [
    attempts > 1 ? `attempt ${attempts}` : "",
    redos > 0 ? plural(redos, "redo") : "",
    iterations > 1 ? `${iterations} reviews` : "",
    concerns.length > 0 ? plural(concerns.length, "concern") : "",
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? WORDS[status] : facts.join(", ");
}
