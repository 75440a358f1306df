import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunDetail } from "../../../src/schema/api.ts";
import { BackIcon } from "../parts/icons.tsx";
import { StatusMark } from "../parts/status.tsx";

type RunHeadProps = {
  readonly row: RunDetail["row"];
  /** What is told under the title; empty ones are left out. */
  readonly facts: readonly string[];
  /** What may be done. */
  readonly children?: ReactNode;
};

/** The top of a run's page: the way back, which run it is, and how it stands. */
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
