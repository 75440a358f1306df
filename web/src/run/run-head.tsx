import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunDetail } from "../../../src/schema/api.ts";
import { BackIcon } from "../parts/icons.tsx";
import { StatusMark } from "../parts/status.tsx";

type RunHeadProps = {
  readonly row: RunDetail["row"];
  /** Texts under the title. Empty ones are omitted. */
  readonly facts: readonly string[];
  /** Actions of the run. */
  readonly children?: ReactNode;
};

/** Displays the head of a run's page: the way back, the title and the status. */
export const RunHead = ({ row, facts, children }: RunHeadProps) => (
  <header className="run-head">
    <Link to="/" className="back" aria-label="Back to the inbox">
      <BackIcon />
    </Link>
    <div className="run-title">
      <h1>{row.title}</h1>
      <p className="subtle">{facts.filter((fact) => fact !== "").join(" · ")}</p>
    </div>
    <StatusMark row={row} />
    {children}
  </header>
);
