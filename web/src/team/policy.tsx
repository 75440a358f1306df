import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { MemberRow, RepositoryPolicy, Role } from "../../../src/schema/api-team.ts";
import { api } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { Trouble } from "../parts/trouble.tsx";

const ROLES: readonly Role[] = ["viewer", "reviewer", "admin"];

/** Displays the roles and rules of a repository, for its admins. */
export function Policy({ repository }: { readonly repository: string }) {
  const { data, error } = useQuery({ queryKey: ["policy", repository], queryFn: () => api.policy(repository) });
  const id = `policy-${repository}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="section-title">
        {repository} {data === undefined ? null : <span className="path setting-file">{data.remote}</span>}
      </h2>
      {error === null ? null : <Trouble error={error} />}
      {data === undefined ? null : (
        <>
          <Rules policy={data} />
          <Members repository={repository} members={data.members} />
        </>
      )}
    </section>
  );
}

/** Displays rules set on the server's machine: users who may grant roles cannot change these rules themselves. */
const Rules = ({
  policy: { repository, isFourEyes, isRechecked, reviewers },
}: {
  readonly policy: RepositoryPolicy;
}) => (
  <ul className="settings">
    <li className="setting">
      <span className="setting-key">
        Four eyes
        <span className="subtle setting-from">
          set on the server: isdlc server policy {repository} --four-eyes on|off
        </span>
      </span>
      <span>{isFourEyes ? "The author of a run cannot accept it." : "The author of a run may accept it."}</span>
    </li>
    <li className="setting">
      <span className="setting-key">
        Recheck
        <span className="subtle setting-from">
          set on the server: isdlc server policy {repository} --recheck on|off
        </span>
      </span>
      <span>{isRechecked ? "A second worker repeats the checks of the last phase." : "Checks run on one worker."}</span>
    </li>
    <li className="setting">
      <span className="setting-key">
        Named reviewers
        <span className="subtle setting-from">set on the server: isdlc server reviewers {repository} …</span>
      </span>
      <span>
        {reviewers.length === 0
          ? "Every reviewer accepts every phase."
          : reviewers.map(({ phase, people }) => `${phase}: ${people.join(", ")}`).join("; ")}
      </span>
    </li>
  </ul>
);

type MembersProps = { readonly repository: string; readonly members: readonly MemberRow[] };

function Members({ repository, members }: MembersProps) {
  const [person, setPerson] = useState("");
  const give = useGiveRole(repository);
  return (
    <>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col">Role</th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.person}>
              <td className="table-main">{member.person}</td>
              <td>
                <RoleField member={member} onGive={(role) => give({ person: member.person, role })} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          give({ person: person.trim(), role: "viewer" }, { onSuccess: () => setPerson("") });
        }}
      >
        <label className="check">
          <span>Another person</span>
          <input className="field" required value={person} onChange={({ target }) => setPerson(target.value)} />
        </label>
        <button type="submit" className="button">
          Add as viewer
        </button>
      </form>
    </>
  );
}

type RoleChange = { readonly person: string; readonly role: Role | null };

function useGiveRole(repository: string) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ person, role }: RoleChange) => api.giveRole(repository, person, role),
    onSuccess: (_members, { person, role }) => {
      announce(
        role === null ? `${person} has no role in ${repository} now.` : `${person} is ${role} in ${repository}.`,
      );
    },
    onError: ({ message }) => announce(message, "bad"),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["policy", repository] }),
        client.invalidateQueries({ queryKey: ["project"] }),
      ]),
  });
  return mutate;
}

type RoleProps = { readonly member: MemberRow; readonly onGive: (role: Role | null) => void };

const RoleField = ({ member: { person, role }, onGive }: RoleProps) => (
  <select
    className="field"
    aria-label={`Role of ${person}`}
    value={role}
    onChange={({ target }) => onGive(ROLES.find((one) => one === target.value) ?? null)}
  >
    {ROLES.map((one) => (
      <option key={one}>{one}</option>
    ))}
    <option value="none">no role</option>
  </select>
);
