import { accept, type Command, type Decision, refuse } from "../command.ts";
import { decidePerson } from "./person.ts";
import { decideReport } from "./report.ts";
import type { RunState } from "../run.ts";

/**
 * Decides if a command is allowed, and which events record it. Pure and total: reads no clock, writes no file, never
 * throws.
 */
export function decide(state: RunState, command: Command): Decision {
  if (command.do === "start") {
    if (state.is === "active") return refuse({ why: "runActive", run: state.run.run });
    return accept({ type: "run.started", ...command.facts });
  }
  if (command.do !== "report" && command.by.channel === "agent") return refuse({ why: "notAPerson" });
  if (state.is === "none") return refuse({ why: "noRun" });
  if (state.is === "ended") return refuse({ why: "runEnded", how: state.how });
  return command.do === "report" ? decideReport(state, command) : decidePerson(state, command);
}
