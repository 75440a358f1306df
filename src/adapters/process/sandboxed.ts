/**
 * Wraps an agent's command line to run in a sandbox. @throws ProblemError if this is not safely possible: the agent is
 * not started
 */
export type Sandbox = (argv: readonly string[], place: SandboxedFolder) => readonly string[];

export type SandboxedFolder = { readonly cwd: string; readonly access: "read" | "write" };
