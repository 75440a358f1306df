/**
 * Turns the command line of an agent into one that runs it in a sandbox.
 * @throws ProblemError when it cannot be done safely: the agent is then not started.
 */
export type Sandbox = (argv: readonly string[], place: SandboxedFolder) => readonly string[];

export type SandboxedFolder = { readonly cwd: string; readonly access: "read" | "write" };
