import type { Command, Refusal } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import type { Step } from "../../src/schema/event.ts";
import { advance, everyPhase, type Player, startRun } from "../support/run-builder.ts";

export const supervised = { supervision: everyPhase };
export const atGate = (): Player => advance(startRun(supervised), "gate");
export const atStep = (step: Step): Player => advance(startRun(supervised), step);

/** Reason why the core refuses the command, or "accepted". */
export const why = (player: Player, command: Command): Refusal["why"] | "accepted" => {
  const decision = decide(player.state, command);
  return decision.ok ? "accepted" : decision.refusal.why;
};
