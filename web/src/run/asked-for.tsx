import { useState } from "react";
import type { RunDetail } from "../../../src/schema/api.ts";
import { answered, Asked, type Start } from "../parts/asked.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { useRepositories } from "../repositories.ts";
import { useStart } from "../starting.ts";
import { RunActions } from "./run-actions.tsx";
import { RunHead } from "./run-head.tsx";

type AskedForProps = { readonly row: RunDetail["row"]; readonly asked: NonNullable<RunDetail["asked"]> };

/** Displays a team's run that no worker has started yet, or that needs a choice before it can start. */
export function AskedFor({ detail, asked }: { readonly detail: RunDetail; readonly asked: AskedForProps["asked"] }) {
  const { row } = detail;
  return (
    <div className="page">
      <RunHead row={row} facts={[row.workflow, `in ${row.place.path}`]}>
        <RunActions detail={detail} />
      </RunHead>
      {row.notBegun === undefined ? (
        <p className="notice">The next free worker starts it.</p>
      ) : asked.choices.length === 0 ? (
        <p className="notice notice-bad">Not started: {row.notBegun}</p>
      ) : (
        <AskAgain row={row} asked={asked} />
      )}
    </div>
  );
}

/** Requests the same run again once all choices are made. */
function AskAgain({ row, asked }: AskedForProps) {
  const { choices, ...wish } = asked.start;
  const [start, setStart] = useState<Start>({ wish, chosen: choices });
  const [at, setAt] = useState(0);
  const mayBegin = useRepositories().some((one) => one.mayBegin && one.name === row.place.path);
  const { begin, isPending, error } = useStart(row.place.path);
  const choice = asked.choices[at];
  if (choice === undefined) return null;
  const choose = (option: string): void => {
    const next = answered(start, choice, option);
    setStart(next);
    if (at + 1 < asked.choices.length) setAt(at + 1);
    else begin(next);
  };
  return (
    <>
      {error === null ? null : <Trouble error={error} />}
      <Asked choice={choice} isPending={isPending || !mayBegin} onChoose={choose} />
    </>
  );
}
