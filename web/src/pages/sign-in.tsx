import { useState } from "react";
import { api, ApiError } from "../api.ts";

/** Where a team's server asks who it is. */
export const SignIn = () => (
  <main className="closed">
    <img src="/icon.svg" alt="" width="40" height="40" />
    <h1>Sign in</h1>
    <TokenForm />
    <p className="subtle">
      Whoever runs the server makes one with <code>isdlc server token person &lt;name&gt;</code>.
    </p>
  </main>
);

/** The token goes to the server alone, and is not kept in the browser. */
function TokenForm() {
  const [token, setToken] = useState("");
  const [trouble, setTrouble] = useState("");
  const [isSending, setIsSending] = useState(false);
  const signIn = async (): Promise<void> => {
    setIsSending(true);
    try {
      await api.signIn(token.trim());
      location.reload();
    } catch (error) {
      setTrouble(error instanceof ApiError ? `${error.problem.what} ${error.problem.fix}` : String(error));
      setIsSending(false);
    }
  };
  return (
    <>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
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
        <button type="submit" className="button button-primary" disabled={isSending || token.trim() === ""}>
          Sign in
        </button>
      </form>
      {trouble === "" ? null : (
        <p className="notice notice-warn" role="alert">
          {trouble}
        </p>
      )}
    </>
  );
}
