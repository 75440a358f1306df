import { useState } from "react";
import type { WaysToSignIn } from "../../../src/schema/api-passkey.ts";
import { api, ApiError } from "../api.ts";
import { useTitle } from "../title.ts";

/** Sign-in page of a team's server. */
export function SignIn({ ways }: { readonly ways: WaysToSignIn }) {
  useTitle("Sign in");
  const [trouble, setTrouble] = useState(whatTheProviderCameTo);
  const [isSending, setIsSending] = useState(false);
  const begin = async (signIn: () => Promise<unknown>, then: "reloads" | "leaves" = "reloads"): Promise<void> => {
    setIsSending(true);
    setTrouble("");
    try {
      await signIn();
      if (then === "reloads") location.assign(location.pathname);
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
      {ways.provider === null ? null : (
        <button
          type="button"
          className="button"
          disabled={isSending}
          onClick={() => void begin(async () => location.assign((await api.goToProvider()).url), "leaves")}
        >
          Sign in with {ways.provider}
        </button>
      )}
      <TokenForm isSending={isSending} onToken={(token) => void begin(() => api.signIn(token))} />
      {trouble === "" ? null : (
        <p className="notice notice-warn" role="alert">
          {trouble}
        </p>
      )}
      <HowToGetIn />
    </main>
  );
}

const HowToGetIn = () => (
  <p className="subtle">
    The operator of the server makes a token with <code>isdlc server token person &lt;name&gt;</code>, or invites you to
    make a passkey with <code>isdlc server invite &lt;name&gt;</code>.
  </p>
);

const CAME_TO: ReadonlyMap<string, string> = new Map([
  ["refused", "The provider's answer was not accepted. Try it again."],
  ["unknown", "No user has that account. An operator of the server can change it: isdlc server identity <name>"],
  ["wait", "Too many sign-ins from this address were refused. Wait a minute, then try again."],
]);

/** Returns the error message after a failed sign-in at the provider. */
const whatTheProviderCameTo = (): string =>
  CAME_TO.get(new URLSearchParams(location.search).get("sign-in") ?? "") ?? "";

const NOT_SHOWN = "The browser showed no passkey of this server.";

async function showPasskey(): Promise<void> {
  const { sign } = await import("../passkeys.ts");
  await api.signInWithPasskey(await sign(await api.signInChallenge()));
}

type TokenFormProps = { readonly isSending: boolean; readonly onToken: (token: string) => void };

/** Sends the token only to the server and never stores it in the browser. */
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
