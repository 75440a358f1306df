import type { ClientBase, Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { MemberRow, RepositoryPolicy, Role, TokenRow } from "../../../src/schema/api-team.ts";
import { tellNamed } from "../notifications/notification-channels.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";

/** A change to roles or policies. Its record is permanent. */
export type AccountChange =
  | { readonly what: "role"; readonly repository: string; readonly person: string; readonly role: Role | null }
  | { readonly what: "four-eyes"; readonly repository: string; readonly isOn: boolean }
  | { readonly what: "passkeys"; readonly repository: string; readonly isOn: boolean }
  | { readonly what: "recheck"; readonly repository: string; readonly isOn: boolean }
  | {
      readonly what: "reviewers";
      readonly repository: string;
      readonly phase: string;
      readonly people: readonly string[];
    };

/** @throws ProblemError USAGE if the repository or a user is unknown */
export async function changeAccounts(pool: Pool, by: string, change: AccountChange): Promise<void> {
  await inTransaction(pool, async (client) => {
    await needRepository(client, change.repository);
    await applyChange(client, change);
    await noteAccountChange(client, by, change);
  });
}

type KeyChange =
  | { readonly what: "passkey added"; readonly person: string; readonly passkey: string; readonly name: string }
  | { readonly what: "passkey removed"; readonly person: string; readonly passkey: string }
  | { readonly what: "identity"; readonly person: string; readonly known: Readonly<Record<string, string>> | null }
  | { readonly what: "revoked"; readonly person: string };

/** Records who changed what, permanently. */
export async function noteAccountChange(
  client: ClientBase,
  by: string,
  change: AccountChange | KeyChange,
): Promise<void> {
  const text = "insert into isdlc.account_change (changed_by, change) values ($1, $2)";
  await client.query(text, [by, JSON.stringify(change)]);
}

/**
 * Revokes all tokens, passkeys, invitations and identities of an account, and ends its sessions. Returns false if it
 * had none.
 */
export async function revokeAccount(pool: Pool, by: string, person: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const ended = [
      await client.query("update isdlc.token set revoked_at = now() where owner = $1 and revoked_at is null", [person]),
      await client.query("delete from isdlc.passkey where person = $1", [person]),
      await client.query("delete from isdlc.invitation where person = $1", [person]),
      await client.query("delete from isdlc.identity where person = $1", [person]),
    ];
    if (ended.every(({ rowCount }) => rowCount === 0)) return false;
    await noteAccountChange(client, by, { what: "revoked", person });
    return true;
  });
}

async function applyChange(client: ClientBase, change: AccountChange): Promise<void> {
  switch (change.what) {
    case "role":
      return setRole(client, change);
    case "four-eyes":
      await client.query("update isdlc.repository set four_eyes = $2 where name = $1", [
        change.repository,
        change.isOn,
      ]);
      return;
    case "passkeys":
      await client.query("update isdlc.repository set passkeys = $2 where name = $1", [change.repository, change.isOn]);
      return;
    case "recheck":
      await client.query("update isdlc.repository set recheck = $2 where name = $1", [change.repository, change.isOn]);
      return;
    case "reviewers":
      return setReviewers(client, change);
    default:
      return change satisfies never;
  }
}

async function setRole(
  client: ClientBase,
  { repository, person, role }: Extract<AccountChange, { what: "role" }>,
): Promise<void> {
  await needPeople(client, [person]);
  if (role === null)
    await client.query("delete from isdlc.member where repository = $1 and person = $2", [repository, person]);
  else
    await client.query(
      `insert into isdlc.member (repository, person, role) values ($1, $2, $3)
       on conflict (repository, person) do update set role = $3`,
      [repository, person, role],
    );
}

async function setReviewers(
  client: ClientBase,
  { repository, phase, people }: Extract<AccountChange, { what: "reviewers" }>,
): Promise<void> {
  await needPeople(client, people);
  await client.query("delete from isdlc.phase_reviewer where repository = $1 and phase = $2 and person <> all($3)", [
    repository,
    phase,
    people,
  ]);
  const { rows: named } = await client.query<{ person: string }>(
    `insert into isdlc.phase_reviewer (repository, phase, person) select $1, $2, unnest($3::text[])
     on conflict do nothing returning person`,
    [repository, phase, people],
  );
  await tellNamed(
    client,
    named.map(({ person }) => person),
    { repository, phase },
  );
}

async function needRepository(client: ClientBase, name: string): Promise<void> {
  const { rowCount } = await client.query("select 1 from isdlc.repository where name = $1", [name]);
  if (rowCount === 0) throw noRepository(name);
}

const noRepository = (name: string): ProblemError =>
  unknown(`There is no repository "${name}" here.`, "isdlc server repository <name> <remote>");

async function needPeople(client: ClientBase, people: readonly string[]): Promise<void> {
  const text = "select id from isdlc.principal where kind = 'person' and id = any($1)";
  const { rows } = await client.query<{ id: string }>(text, [people]);
  const missing = people.find((person) => !rows.some(({ id }) => id === person));
  if (missing !== undefined) throw unknown(`No user is called "${missing}".`, "isdlc server token person <name>");
}

const unknown = (detail: string, usage: string): ProblemError => new ProblemError({ code: "USAGE", detail, usage });

/** @throws ProblemError USAGE if the repository is unknown */
export async function readPolicy(pool: Pool, repository: string): Promise<RepositoryPolicy> {
  const { rows } = await pool.query<Pick<RepositoryPolicy, "remote" | "isFourEyes" | "isRechecked" | "reviewers">>(
    `select remote, four_eyes as "isFourEyes", recheck as "isRechecked", coalesce((
       select json_agg(json_build_object('phase', phase, 'people', people) order by phase) from (
         select phase, array_agg(person order by person) as people from isdlc.phase_reviewer
         where repository = name group by phase) p), '[]') as reviewers
     from isdlc.repository where name = $1`,
    [repository],
  );
  const [found] = rows;
  if (found === undefined) throw noRepository(repository);
  return { repository, ...found, members: [...(await listMembers(pool, repository))] };
}

export async function listMembers(pool: Pool, repository: string): Promise<readonly MemberRow[]> {
  const text = "select person, role from isdlc.member where repository = $1 order by person";
  return (await pool.query<MemberRow>(text, [repository])).rows;
}

export async function listTokens(pool: Pool, owner: string): Promise<readonly TokenRow[]> {
  const { rows } = await pool.query<{
    name: string;
    created_at: Date;
    expires_at: Date | null;
    revoked_at: Date | null;
  }>("select name, created_at, expires_at, revoked_at from isdlc.token where owner = $1 order by created_at", [owner]);
  return rows.map(({ name, created_at, expires_at, revoked_at }) => ({
    name,
    createdAt: created_at.toISOString(),
    expiresAt: expires_at?.toISOString() ?? null,
    revokedAt: revoked_at?.toISOString() ?? null,
  }));
}
