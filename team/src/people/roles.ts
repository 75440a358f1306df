import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import { type Role, ROLES } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Principal } from "./principals.ts";
import { isInScope } from "./worker-scope.ts";

export const isAtLeast = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Returns the user's role in a repository. If it is null, the existence of the repository is hidden. */
async function roleIn(pool: Pool, person: string, repository: string): Promise<Role | null> {
  const { rows } = await pool.query<{ role: Role }>({
    name: "isdlc-role",
    text: "select role from isdlc.member where person = $1 and repository = $2",
    values: [person, repository],
  });
  return rows[0]?.role ?? null;
}

/** Lists all repositories where a user has a role. */
export async function listRepositories(pool: Pool, person: string): Promise<readonly RoleIn[]> {
  const text = "select repository as name, role from isdlc.member where person = $1 order by repository";
  return (await pool.query<RoleIn>(text, [person])).rows;
}

type RoleIn = { readonly name: string; readonly role: Role };

/** @throws ProblemError NOT_ALLOWED for workers and insufficient roles, USAGE for users without a role */
export async function needRole(
  pool: Pool,
  principal: Principal,
  { repository, role: needed }: { readonly repository: string; readonly role: Role },
): Promise<void> {
  const role = await roleIn(pool, requirePerson(principal), repository);
  if (role === null)
    throw new ProblemError({
      code: "USAGE",
      detail: `There is no repository "${repository}" here.`,
      usage: "isdlc server repository <name> <remote>",
    });
  if (!isAtLeast(role, needed)) throw tooLittle(repository, role, needed);
}

export type RunAccess = { readonly repository: string; readonly begunBy: string };

/**
 * Returns the access of a principal to a run, with at least the needed role. Workers may only view runs in their
 * scope. @throws ProblemError NO_RUN if the run is hidden from the principal, NOT_ALLOWED if the role is insufficient
 */
export async function needRun(
  pool: Pool,
  principal: Principal,
  { run, role: needed }: { readonly run: RunId; readonly role: Role },
): Promise<RunAccess> {
  if (needed !== "viewer") requirePerson(principal);
  const { rows } = await pool.query<RunAccess>({
    name: "isdlc-access",
    text: `select repository, begun_by as "begunBy" from isdlc.run where run = $1 and repository is not null`,
    values: [run],
  });
  const [found] = rows;
  if (found === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  if (principal.kind === "worker") {
    if (await isInScope(pool, principal, found.repository)) return found;
    throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  }
  const role = await roleIn(pool, principal.id, found.repository);
  if (role === null) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  if (!isAtLeast(role, needed)) throw tooLittle(found.repository, role, needed);
  return found;
}

/** Returns the name of the user. @throws ProblemError NOT_ALLOWED for a worker */
export function requirePerson({ id, kind }: Principal): string {
  if (kind === "person") return id;
  const what = "A worker's token reports what was done. It cannot start runs or answer gates.";
  throw new ProblemError({ code: "NOT_ALLOWED", what, fix: "Use the token of a person." });
}

function tooLittle(repository: string, role: Role, needed: Role): ProblemError {
  const what = `In ${repository} you are ${role}; this is for those who are ${needed}.`;
  const fix = `An admin of ${repository} can change it: isdlc team role ${repository} <person> ${needed}`;
  return new ProblemError({ code: "NOT_ALLOWED", what, fix });
}
