import { Link } from "@tanstack/react-router";
import type { GateView } from "../../../src/schema/api.ts";
import { BackIcon } from "../parts/icons.tsx";
import { formatAge, plural, readingText } from "../words.ts";
import type { Progress } from "./use-changes.ts";

type HeadProps = { readonly gate: GateView; readonly progress: Progress | null };

export function GateHead({ gate, progress }: HeadProps) {
  const { phase, toRead } = gate;
  const facts = [
    gate.workflow,
    phase.attempt > 1 ? `attempt ${phase.attempt}` : "",
    phase.redos > 0 ? `${phase.redos} of ${phase.redos + phase.redosLeft} redos used` : "",
    readingText(toRead),
    progressText(progress),
    `waiting ${formatAge(gate.openedAt)}`,
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

function progressText(progress: Progress | null): string {
  if (progress === null || progress.files === 0) return "";
  const { changedSince, notViewed } = progress;
  const changed = changedSince === null ? "" : `${plural(changedSince, "file")} changed since your last review`;
  return [changed, notViewed === 0 ? "all files viewed" : `${notViewed} not viewed yet`]
    .filter((part) => part !== "")
    .join(", ");
}
