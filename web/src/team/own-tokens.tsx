import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TokenRow } from "../../../src/schema/api-team.ts";
import { api } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { dateText } from "../words.ts";

const TOKENS = ["tokens"];
const DEFAULT_DAYS = 90;
/** Name of the token for signing in, which is created by the operator of the server. */
const SIGN_IN = "sign-in";

/** Displays personal tokens for scripts, to create, list and revoke them. */
export function OwnTokens() {
  const { data, error } = useQuery({ queryKey: TOKENS, queryFn: api.tokens });
  const own = data?.tokens.filter(({ name }) => name !== SIGN_IN) ?? [];
  return (
    <section aria-labelledby="own-tokens">
      <h2 id="own-tokens" className="section-title">
        Your tokens for scripts
      </h2>
      <p className="subtle">They answer and start runs in your name. They make no other tokens and give no roles.</p>
      {error === null ? null : <Trouble error={error} />}
      <NewToken />
      {own.length === 0 ? null : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Made</th>
              <th scope="col">Valid</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {own.map((token) => (
              <TokenLine key={token.name} token={token} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function NewToken() {
  const [name, setName] = useState("");
  const [days, setDays] = useState(String(DEFAULT_DAYS));
  const client = useQueryClient();
  const { mutate, data, variables, isPending, error } = useMutation({
    mutationFn: (wanted: string) => api.makeToken(wanted, Number(days)),
    onSuccess: () => client.invalidateQueries({ queryKey: TOKENS }),
  });
  return (
    <>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(name.trim());
        }}
      >
        <label className="check">
          <span>Name</span>
          <input className="field" required value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <label className="check">
          <span>Days</span>
          <input
            className="field"
            type="number"
            min="1"
            max="366"
            required
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        </label>
        <button type="submit" className="button" disabled={isPending}>
          Make a token
        </button>
      </form>
      {error === null ? null : <Trouble error={error} />}
      {data === undefined ? null : (
        <p className="notice" role="status">
          The token {variables}, shown this once: <code className="mono">{data.token}</code>
        </p>
      )}
    </>
  );
}

function TokenLine({ token: { name, createdAt, expiresAt, revokedAt } }: { readonly token: TokenRow }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.revokeToken(name),
    onSuccess: () => {
      announce(`${name} is revoked.`);
      return client.invalidateQueries({ queryKey: TOKENS });
    },
    onError: ({ message }) => announce(message, "bad"),
  });
  return (
    <tr>
      <td className="table-main">{name}</td>
      <td>{dateText(createdAt)}</td>
      <td>{validText(expiresAt, revokedAt)}</td>
      <td className="row-tools">
        {revokedAt === null ? (
          <button
            type="button"
            className="button button-small"
            aria-label={`Revoke ${name}`}
            disabled={isPending}
            onClick={() => mutate()}
          >
            Revoke
          </button>
        ) : null}
      </td>
    </tr>
  );
}

function validText(expiresAt: string | null, revokedAt: string | null): string {
  if (revokedAt !== null) return `revoked ${dateText(revokedAt)}`;
  return expiresAt === null ? "until it is revoked" : `until ${dateText(expiresAt)}`;
}
