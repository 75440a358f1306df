import type { RunRow, WaitKind } from "../../../src/schema/api.ts";
import { STATUS_WORDS, WAIT_WORDS } from "../words.ts";
import {
  CheckIcon,
  CoinIcon,
  CrossIcon,
  FlagIcon,
  GateIcon,
  type Icon,
  PlayIcon,
  QuestionIcon,
  StopIcon,
  WarnIcon,
} from "./icons.tsx";

const WAIT_ICONS: { readonly [K in WaitKind]: Icon } = {
  gate: GateIcon,
  questions: QuestionIcon,
  escalation: WarnIcon,
  sizing: QuestionIcon,
  budget: CoinIcon,
  finish: FlagIcon,
};

const STATUS_ICONS: { readonly [K in RunRow["status"]]: Icon } = {
  waiting: GateIcon,
  running: PlayIcon,
  interrupted: StopIcon,
  completed: CheckIcon,
  cancelled: CrossIcon,
};

/** Displays a status by color, shape and word together. */
export function StatusMark({ row }: { readonly row: RunStatusFields }) {
  const Shape = row.wait === null ? STATUS_ICONS[row.status] : WAIT_ICONS[row.wait.kind];
  const label = row.wait === null ? statusWord(row) : WAIT_WORDS[row.wait.kind];
  return (
    <span className={`mark mark-${row.wait?.kind === "escalation" ? "trouble" : row.status}`}>
      <Shape />
      <span className="mark-word">{label}</span>
    </span>
  );
}

type RunStatusFields = Pick<RunRow, "status" | "wait" | "movedTo" | "notBegun">;

function statusWord({ status, movedTo, notBegun }: RunStatusFields): string {
  if (movedTo !== undefined) return "Moved away";
  return notBegun === undefined ? STATUS_WORDS[status] : "Not started";
}
