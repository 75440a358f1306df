import { useState } from "react";
import type { WaysToSignIn } from "../../../src/schema/api-passkey.ts";
import { api, ApiError } from "../api.ts";

/** Where a team's server asks who it is. */
export function SignIn({ ways }: { readonly ways: WaysToSignIn }) {
  const [trouble, setTrouble] = useState("");
  const [isSending, setIsSending] = useState(false);
  const begin = async (signIn: () => Promise<unknown>): Promise<void> => {
    setIsSending(true);
    setTrouble("");
    try {
      await signIn();
      location.reload();
    } catch (error) {
      setTrouble(error instanceof ApiError ? `${error.problem.what} ${error.problem.fix}` : NOT_SHOWN);
      setIsSending(false);
    }
  };
  return (
    <main className="closed">
      <img src="/icon.svg" alt="" width="40" height="40" />
      <h1>Sign in</h1>
      {ways.hasPasskeys ? (
        <button
          type="button"
          className="button button-primary"
          disabled={isSending}
          onClick={() => void begin(showPasskey)}
        >
          Sign in with a passkey
        </button>
      ) : null}
      <TokenForm isSending={isSending} onToken={(token) => void begin(() => api.signIn(token))} />
      {trouble === "" ? null : (
        <p className="notice notice-warn" role="alert">
          {trouble}
        </p>
      )}
      <p className="subtle">
        Whoever runs the server makes a token with <code>isdlc server token person &lt;name&gt;</code>, or invites you
        to make a passkey with <code>isdlc server invite &lt;name&gt;</code>.
      </p>
    </main>
  );
}

const NOT_SHOWN = "The browser showed no passkey of this server.";

async function showPasskey(): Promise<void> {
  const { sign } = await import("../passkeys.ts");
  await api.signInWithPasskey(await sign(await api.signInChallenge()));
}

type TokenFormProps = { readonly isSending: boolean; readonly onToken: (token: string) => void };

/** The token goes to the server alone, and is not kept in the browser. */
function TokenForm({ isSending, onToken }: TokenFormProps) {
  const [token, setToken] = useState("");
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(token.trim());
      }}
    >
      <label className="stacked">
        <span>Your token</span>
        <input
          className="field"
          type="password"
          autoComplete="current-password"
          value={token}
          required
          onChange={({ target }) => setToken(target.value)}
        />
      </label>
      <button type="submit" className="button" disabled={isSending || token.trim() === ""}>
        Sign in
      </button>
    </form>
  );
}
