/** Code that `status` rarely needs, and the start of a session. A separate bundle keeps the usual call fast. */
export { createProcesses } from "../../../adapters/process/create-processes.ts";
export { openWorkLines } from "../terminal/active-feature.ts";
export { showSessionStart } from "../verbs/session-start.ts";
