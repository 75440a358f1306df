/** What `status` needs rarely. Built as a bundle of its own, so that its usual answer does not wait for it to be read. */
export { createProcesses } from "../../../adapters/process/create-processes.ts";
export { activeFeatureLines } from "../verbs/spec/active-feature.ts";
