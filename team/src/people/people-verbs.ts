import { done, type Invocation, type Result, text } from "../../../src/surfaces/cli/invocation/verb.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { isRole, ROLES } from "../../../src/schema/api-team.ts";
import type { Pool } from "../journal-postgres/open-pool.ts";
import { removeChannels } from "../notifications/notification-channels.ts";
import { readNumber } from "../verb-values.ts";
import { invite } from "../passkeys/invitations.ts";
import { linkIdentity } from "../oidc/identities.ts";
import { changeAccounts, revokeAccount } from "./accounts.ts";
import { FINISH } from "./answer-policy.ts";
import { setWorkerScope, type WorkerScope } from "./worker-scope.ts";
import { createToken, isPrincipalName, SIGN_IN } from "./principals.ts";

export type Subcommand = (pool: Pool, words: readonly string[], invocation: Invocation) => Promise<Result>;

const DEFAULT_CREDENTIAL_DAYS = 90;
const INVITATION_DAYS = 3;
/** Name in the record of account changes. */
const OPERATOR = "the server's operator";
const EMAIL = /^[^\s@]{1,100}@[^\s@]{1,150}$/;
const PHASE = /^[a-z0-9][a-z0-9-]{0,60}$/;

const token: Subcommand = async (pool, [kind = "", id = ""], invocation) => {
  if ((kind !== "person" && kind !== "worker") || !isPrincipalName(id))
    throw usage(invocation, "Say whose token it is: a person's or a worker's, and the name.");
  const days = kind === "worker" ? null : readNumber(invocation, "days", DEFAULT_CREDENTIAL_DAYS);
  const made = await createToken(pool, { id, kind }, { name: SIGN_IN, days });
  const until = days === null ? "until it is revoked" : `for ${days} days`;
  const said = [made, `The token of the ${kind} ${id}, good ${until}. It is shown this once.`];
  if (kind === "person") return done(said, { id, kind, token: made });
  const scope = { repositories: readList(invocation, "repositories"), labels: readList(invocation, "labels") };
  await setWorkerScope(pool, id, scope);
  return done([...said, describeScope(scope)], { id, kind, token: made, ...scope });
};

/** Splits comma-separated words. Returns null if the option is missing. */
function readList({ values }: Invocation, option: string): readonly string[] | null {
  const words = text(values, option)
    ?.split(",")
    .filter((word) => word !== "");
  return words ?? null;
}

function describeScope({ repositories, labels }: WorkerScope): string {
  if (repositories === null && labels === null) return "It drives and reads the runs of every repository.";
  const named = repositories === null ? "repositories" : repositories.join(", ");
  return `It drives and reads the runs of ${named}${labels === null ? "" : ` with the label ${labels.join(" or ")}`} only.`;
}

const revoke: Subcommand = async (pool, [id = ""], invocation) => {
  const isRevoked = await revokeAccount(pool, OPERATOR, id);
  await removeChannels(pool, id);
  if (isRevoked) return done([`Revoked every token, passkey and identity of ${id}.`], { id });
  throw usage(invocation, `${id === "" ? "Nobody" : id} has nothing to revoke.`);
};

const invitation: Subcommand = async (pool, [id = ""], invocation) => {
  const days = readNumber(invocation, "days", INVITATION_DAYS);
  const secret = isPrincipalName(id) ? await invite(pool, { person: id, days }) : null;
  if (secret === null) throw usage(invocation, "Say the name of the person who is invited.");
  const link = `${text(invocation.values, "origin") ?? "<the address of the page>"}/invitation#${secret}`;
  const said = [
    link,
    `The first person to open it registers the passkey of ${id}. It is good for ${days} days, and shown this once.`,
  ];
  return done(said, { id, invitation: secret, link });
};

const identity: Subcommand = async (pool, [person = "", email = ""], invocation) => {
  const subject = text(invocation.values, "subject");
  if (subject === undefined && email !== "none" && !EMAIL.test(email))
    throw usage(invocation, "Give the account name and its e-mail address at the provider, --subject <id>, or none.");
  const known = subject !== undefined ? { subject } : email === "none" ? null : { email };
  await linkIdentity(pool, OPERATOR, { person, known });
  const said = known === null ? "signs in with no provider" : `signs in as ${subject ?? email}`;
  return done([`${person} ${said}.`], { person, known });
};

const role: Subcommand = async (pool, [repository = "", person = "", said = ""], invocation) => {
  if (!isRole(said) && said !== "none")
    throw usage(invocation, `Say repository, person and role: ${ROLES.join(", ")} or none.`);
  const given = isRole(said) ? said : null;
  await changeAccounts(pool, OPERATOR, { what: "role", repository, person, role: given });
  return done([`${person} is ${given ?? "nobody"} in ${repository}.`], { repository, person, role: given });
};

const policy: Subcommand = async (pool, [repository = ""], invocation) => {
  const given = POLICIES.filter(({ option }) => text(invocation.values, option) !== undefined);
  if (given.length === 0)
    throw usage(invocation, "Say the repository, and --four-eyes, --passkeys or --recheck with on or off.");
  const told: string[] = [];
  for (const { option, on, off } of given) {
    const said = text(invocation.values, option);
    if (said !== "on" && said !== "off") throw usage(invocation, `--${option} takes on or off.`);
    await changeAccounts(pool, OPERATOR, { what: option, repository, isOn: said === "on" });
    told.push(`${repository}: ${said === "on" ? on : off}`);
  }
  return done(told, { repository });
};

const POLICIES = [
  { option: "four-eyes", on: "The author of a run cannot accept it.", off: "The author of a run may accept it." },
  {
    option: "recheck",
    on: "A second worker repeats the checks of the last phase.",
    off: "Checks run on one worker.",
  },
  { option: "passkeys", on: "Answers are signed with a passkey.", off: "Answers need no signature." },
] as const;

const reviewers: Subcommand = async (pool, [repository = "", phase = "", ...people], invocation) => {
  if (!PHASE.test(phase)) throw usage(invocation, `Say the repository, the phase or "${FINISH}", and who accepts it.`);
  await changeAccounts(pool, OPERATOR, { what: "reviewers", repository, phase, people });
  const who = people.length === 0 ? "every reviewer" : people.join(", ");
  return done([`${repository}: ${phase} is accepted by ${who}.`], { repository, phase, reviewers: people });
};

/** `isdlc server …` commands for accounts and for requirements of answers. */
export const peopleVerbs: Readonly<Record<string, Subcommand>> = {
  token,
  invite: invitation,
  identity,
  revoke,
  role,
  policy,
  reviewers,
};

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
