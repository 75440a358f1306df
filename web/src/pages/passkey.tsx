import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, ApiError } from "../api.ts";
import { Trouble } from "../parts/trouble.tsx";

async function register(name: string): Promise<void> {
  const { makePasskey } = await import("../passkeys.ts");
  await api.addPasskey(await makePasskey(await api.passkeyOptions(), name));
}

/** Where `isdlc passkey add` leads. */
export function NewPasskey() {
  const [name, setName] = useState("This device");
  const { mutate, error, isPending, isSuccess } = useMutation({ mutationFn: () => register(name.trim()) });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Register a passkey</h1>
      </div>
      <p>
        With it you can sign decisions: which run, what was shown, what you chose and what you wrote. Nothing that runs
        as you can sign in your place.
      </p>
      {isSuccess ? (
        <p className="notice" role="status">
          <strong>Registered.</strong> You can close this page; the terminal says how to go on.
        </p>
      ) : (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <label className="stacked">
            <span>What do you call it?</span>
            <input
              className="field"
              value={name}
              maxLength={100}
              required
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <button type="submit" className="button button-primary" disabled={isPending || name.trim() === ""}>
            Create the passkey
          </button>
        </form>
      )}
      {error === null ? null : <Problem error={error} />}
    </div>
  );
}

const Problem = ({ error }: { readonly error: Error }) =>
  error instanceof ApiError ? (
    <Trouble error={error} />
  ) : (
    <p className="notice notice-warn" role="alert">
      The browser made no passkey: {error.message}
    </p>
  );
