import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { PasskeyForm } from "../parts/passkey-form.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { useTitle } from "../title.ts";

const KEY = ["passkeys"];

async function add(name: string): Promise<void> {
  const { makePasskey } = await import("../passkeys.ts");
  await api.addPasskey(await makePasskey(await api.passkeyOptions(), name));
}

/** Lists the passkeys with which the user signs in to a team's server. */
export function OwnPasskeys() {
  useTitle("Your passkeys");
  const client = useQueryClient();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: api.passkeys });
  const onSuccess = () => client.invalidateQueries({ queryKey: KEY }); // the session ends with the passkey that started it
  const adding = useMutation({ mutationFn: add, onSuccess });
  const removing = useMutation({ mutationFn: api.removePasskey, onSuccess });
  const passkeys = data?.passkeys ?? [];
  return (
    <div className="page">
      <div className="page-head">
        <h1>Your passkeys</h1>
      </div>
      <p>With a passkey you sign in without a token, and sign decisions where the team asks for it.</p>
      {error === null ? null : <Trouble error={error} />}
      {removing.error === null ? null : <Trouble error={removing.error} />}
      <ul aria-label="Your passkeys">
        {passkeys.map(({ id, name, createdAt }) => (
          <li key={id} className="passkey-row">
            <span>
              {name} <span className="subtle">since {createdAt.slice(0, 10)}</span>
            </span>
            <button
              type="button"
              className="button"
              aria-label={`Remove ${name}`}
              disabled={removing.isPending}
              onClick={() => removing.mutate(id)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <h2>Add one</h2>
      <PasskeyForm isPending={adding.isPending} error={adding.error} onCreate={adding.mutate} />
    </div>
  );
}
