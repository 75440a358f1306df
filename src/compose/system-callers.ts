import { identifyCaller, suspicionOf } from "../adapters/caller/identify-caller.ts";
import { surroundingsOf, systemSurroundings } from "../adapters/caller/system-surroundings.ts";
import { identityOf, systemProcessTable } from "../adapters/process/process-table.ts";
import type { Callers } from "../ports/callers.ts";

/** Whoever started this process. */
export const systemCallers: Callers = {
  identify: (work) => identifyCaller(systemSurroundings(), work),
  identifyProcess: (pid, work) => identifyCaller(surroundingsOf(pid), work),
  suspicion: (work) => suspicionOf(systemSurroundings(), work),
  origin: () => ({ pid: process.pid, session: null, terminal: null }),
  processAt: (pid) => identityOf(systemProcessTable(), pid),
};
