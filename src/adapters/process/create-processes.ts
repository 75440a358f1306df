import { ProblemError } from "../../core/problem.ts";
import type { Processes } from "../../ports/processes.ts";
import { processTree } from "./process-tree.ts";
import { findIdentity, isAlive, type ProcessTable, systemProcessTable } from "./process-table.ts";

export function createProcesses(table: ProcessTable = systemProcessTable()): Processes {
  return {
    self: () => findIdentity(table, process.pid) ?? { pid: process.pid, started: "unknown", boot: table.boot() },
    isAlive: (driver) => isAlive(table, driver),
    endAll: async (nonce, driver) => {
      const since = driver !== undefined && driver.boot === table.boot() ? driver.started : null;
      const left = await processTree({ table, nonce, leader: null, since }).end();
      if (left.length === 0) return;
      const detail = `these processes of an earlier execution could not be ended: ${left.join(", ")}`;
      throw new ProblemError({ code: "AGENT_FAILED", agent: "the agent", detail });
    },
  };
}
