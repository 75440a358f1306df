/** Failures between a user's program, a team's server and its workers. */
export type TeamProblem =
  | {
      readonly code: "TEAM_NOT_INSTALLED";
      readonly verb: string;
      readonly version: string;
      readonly found: string | null;
    }
  | { readonly code: "SERVER_UNREACHABLE"; readonly url: string; readonly detail: string }
  | {
      readonly code: "SERVER_REFUSED";
      readonly url: string;
      readonly status: number;
      /** Problem code of the server; null if its answer has none. */
      readonly reason: string | null;
      readonly what: string;
      readonly fix: string;
      /** Further facts of the server's problem. */
      readonly facts: Readonly<Record<string, unknown>>;
    }
  | {
      readonly code: "CANNOT_LISTEN";
      readonly host: string;
      readonly port: number;
      /** Option of `isdlc server` to change. */
      readonly option: "port" | "host" | "metrics";
      readonly detail: string;
    }
  | { readonly code: "DATABASE_UNAVAILABLE"; readonly detail: string; readonly fix: string }
  | { readonly code: "BACKUP_UNUSABLE"; readonly detail: string; readonly fix: string }
  | { readonly code: "COPY_TOO_LARGE"; readonly maxBytes: number }
  | { readonly code: "NOT_ALLOWED"; readonly what: string; readonly fix: string }
  | { readonly code: "TEAM_RUN_REFUSED"; readonly run: string; readonly detail: string }
  | { readonly code: "NOT_FOR_TEAM_RUNS"; readonly option: string }
  | { readonly code: "RUN_AWAY"; readonly run: string; readonly to: string }
  | { readonly code: "RUN_NOT_MOVABLE"; readonly why: string; readonly fix: string };

type ProblemText = { readonly what: string; readonly fix: string };

export const teamDescriptions: {
  readonly [C in TeamProblem["code"]]: (problem: Extract<TeamProblem, { code: C }>) => ProblemText;
} = {
  TEAM_NOT_INSTALLED: (p) => ({
    what:
      p.found === null
        ? `"isdlc ${p.verb}" needs the package isdlc-team, which is not installed beside isdlc.`
        : `isdlc-team is version ${p.found} and isdlc is ${p.version}: they work together only when they are the same.`,
    fix: `Install it: npm install --global isdlc-team@${p.version}`,
  }),
  SERVER_UNREACHABLE: (p) => ({
    what: `The server ${p.url} cannot be reached: ${p.detail}.`,
    fix: "Check that it is running and that the address is right, then run the command again.",
  }),
  SERVER_REFUSED: (p) => ({ what: `${p.url}: ${p.what}${p.reason === null ? "" : ` (${p.reason})`}`, fix: p.fix }),
  CANNOT_LISTEN: (p) => ({
    what: `The server cannot listen at ${p.host}, port ${p.port}: ${p.detail}.`,
    fix:
      p.option === "host"
        ? "Name an address of this machine: isdlc server --host 127.0.0.1"
        : `End what listens there, or choose another port: isdlc server --${p.option} <port>`,
  }),
  DATABASE_UNAVAILABLE: (p) => ({
    what: `There is no database to work with: ${p.detail}.`,
    fix: `${p.fix}.`,
  }),
  BACKUP_UNUSABLE: (p) => ({ what: `The backup cannot be restored here: ${p.detail}.`, fix: p.fix }),
  COPY_TOO_LARGE: (p) => ({
    what: `A fetch was stopped: the server's copy of the repository would exceed ${p.maxBytes / 1e9} GB.`,
    fix: "Remove large objects from the remote, or let the operator raise the limit: isdlc server --copy-limit <GB>",
  }),
  NOT_ALLOWED: (p) => ({ what: p.what, fix: p.fix }),
  TEAM_RUN_REFUSED: (p) => ({
    what: `No worker could start ${p.run}: ${p.detail.slice(0, 500)}`,
    fix: "Add the missing part and start it again.",
  }),
  RUN_AWAY: (p) => ({
    what: `${p.run} is not here: it continues at ${p.to.slice(0, 200)}.`,
    fix: "Continue it there, or bring it to the team from there: isdlc push-run",
  }),
  RUN_NOT_MOVABLE: (p) => ({ what: `The run stays where it is: ${p.why}.`, fix: p.fix }),
  NOT_FOR_TEAM_RUNS: (p) => ({
    what: `"${p.option}" cannot be done on a run of a team: no working tree is available when it is answered.`,
    fix: "Redo the phase with guidance, or take the run home (isdlc pull-run) and answer there.",
  }),
};
