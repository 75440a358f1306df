import { Link } from "@tanstack/react-router";
import type { GateView } from "../../../src/schema/api.ts";
import { BackIcon } from "../parts/icons.tsx";
import { ageOf, readingText } from "../words.ts";

export function GateHead({ gate }: { readonly gate: GateView }) {
  const { phase, toRead } = gate;
  const facts = [
    gate.workflow,
    phase.attempt > 1 ? `attempt ${phase.attempt}` : "",
    phase.redos > 0 ? `${phase.redos} of ${phase.redos + phase.redosLeft} redos used` : "",
    readingText(toRead),
    `waits ${ageOf(gate.openedAt)}`,
  ];
  return (
    <header className="gate-head">
      <Link to="/runs/$run" params={{ run: gate.run }} className="back" aria-label="Back to the run">
        <BackIcon />
      </Link>
      <div className="gate-title">
        <h1>
          <span className="gate-phase">{phase.name}</span> {gate.title}
        </h1>
        <p className="subtle">{facts.filter((fact) => fact !== "").join(" · ")}</p>
      </div>
      {gate.isPaused ? <span className="badge badge-warn">Paused for your edits</span> : null}
    </header>
  );
}
