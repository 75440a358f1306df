/**
 * Turns the command line of an agent into one that runs it behind a wall.
 * @throws ProblemError when it cannot be done safely: the agent is then not started.
 */
export type Confine = (argv: readonly string[], place: ConfinedPlace) => readonly string[];

export type ConfinedPlace = { readonly cwd: string; readonly access: "read" | "write" };
