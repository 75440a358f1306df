/** Code that `status` rarely needs. A separate bundle keeps the usual call fast. */
export { createProcesses } from "../../../adapters/process/create-processes.ts";
export { openWorkLines } from "../terminal/active-feature.ts";
