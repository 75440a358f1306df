import type { ServerClient } from "../../../../adapters/remote/server-client.ts";
import { openProject } from "../../../../compose/project.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { TakenBack } from "../../../../schema/api-moving.ts";
import {
  isRole,
  MemberList,
  type MemberRow,
  RepositoryPolicy,
  TokenList,
  TokenMade,
  TokenRevocationResult,
  type TokenRow,
} from "../../../../schema/api-team.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { done, type Invocation, type Result, type Run, text } from "../../invocation/verb.ts";
import { notify } from "./team-notify.ts";
import { askAsPerson } from "./team-run.ts";

const DEFAULT_TOKEN_DAYS = 90;

/** Manages the user's tokens and notifications, and the roles in a repository. */
export const team: Run = async (invocation) => {
  const [what = "", ...words] = invocation.words;
  const subcommand = Object.hasOwn(SUBCOMMANDS, what) ? SUBCOMMANDS[what] : undefined;
  if (subcommand === undefined) throw usage(invocation, "Name what you want to do.");
  return subcommand(await askAsPerson(invocation, openProject(invocation.cwd, invocation.env)), words, invocation);
};

type Subcommand = (ask: ServerClient, words: readonly string[], invocation: Invocation) => Promise<Result>;

const token: Subcommand = async (ask, [name = ""], invocation) => {
  const days = Number(text(invocation.values, "days") ?? DEFAULT_TOKEN_DAYS);
  if (name === "" || !(days > 0)) throw usage(invocation, "Give the token a name, and a number of --days.");
  const made = await ask({ method: "POST", path: "/api/tokens", body: { name, days }, answer: TokenMade });
  return done([made.token, `Your token ${name}, good for ${days} days. It is shown this once.`], { name, ...made });
};

const tokens: Subcommand = async (ask) => {
  const found = await ask({ method: "GET", path: "/api/tokens", answer: TokenList });
  return done(found.tokens.map(tokenLine), found);
};

const tokenLine = ({ name, expiresAt, revokedAt }: TokenRow): string =>
  `${name}: ${revokedAt === null ? `good until ${expiresAt ?? "it is revoked"}` : `revoked ${revokedAt}`}`;

const revoke: Subcommand = async (ask, [name = ""], invocation) => {
  const path = `/api/tokens/${encodeURIComponent(name)}`;
  const { isRevoked } =
    name === "" ? { isRevoked: false } : await ask({ method: "DELETE", path, answer: TokenRevocationResult });
  if (!isRevoked) throw usage(invocation, `You have no token ${JSON.stringify(name)} to revoke.`);
  return done([`Revoked your token ${name}.`], { name });
};

const membersPath = (repository: string): string => `/api/repositories/${encodeURIComponent(repository)}/members`;

const members: Subcommand = async (ask, [repository = ""]) =>
  membersResult(await ask({ method: "GET", path: membersPath(repository), answer: MemberList }));

const policy: Subcommand = async (ask, [repository = ""]) => {
  const path = `/api/repositories/${encodeURIComponent(repository)}/policy`;
  const found = await ask({ method: "GET", path, answer: RepositoryPolicy });
  const { isFourEyes, isRechecked, reviewers, members: roles } = found;
  const lines = [
    isFourEyes ? "The author of a run cannot accept it." : "The author of a run may accept it.",
    ...(isRechecked ? ["A second worker repeats the checks of the last phase."] : []),
    ...reviewers.map(
      ({ phase, people }) => `${plainLine(phase)} is accepted by ${plainLine(people.join(", "), 1000)}.`,
    ),
    ...roles.map(memberLine),
  ];
  return done(lines, found);
};

const role: Subcommand = async (ask, [repository = "", person = "", said = ""], invocation) => {
  if (!isRole(said) && said !== "none") throw usage(invocation, "Say repository, person and role.");
  const body = { person, role: isRole(said) ? said : null };
  return membersResult(await ask({ method: "POST", path: membersPath(repository), body, answer: MemberList }));
};

/** Takes back a run whose working tree is lost. The team continues from the state it had when the run moved away. */
const takeBack: Subcommand = async (ask, [run = ""], invocation) => {
  if (run === "") throw usage(invocation, "Name the run: isdlc status shows where it went.");
  const path = `/api/runs/${encodeURIComponent(run)}/take-back`;
  const { from } = await ask({ method: "POST", path, answer: TakenBack });
  const lines = [
    `${run} is the team's again. Decisions made since then at ${plainLine(from, 200)} are no longer accepted.`,
    `See: isdlc status --run ${run}`,
  ];
  return done(lines, { run, from });
};

const membersResult = (found: { readonly members: readonly MemberRow[] }): Result =>
  done(found.members.map(memberLine), found);

const memberLine = ({ person, role: given }: MemberRow): string => `${plainLine(person, 80)}: ${given}`;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  token,
  tokens,
  revoke,
  members,
  policy,
  role,
  notify,
  "take-back": takeBack,
};

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
