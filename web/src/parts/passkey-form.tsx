import { useState } from "react";
import { ApiError } from "../api.ts";
import { Trouble } from "./trouble.tsx";

type PasskeyFormProps = {
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Called with the name given by the user. */
  readonly onCreate: (name: string) => void;
};

/** Asks for a name and for the passkey itself. */
export function PasskeyForm({ isPending, error, onCreate }: PasskeyFormProps) {
  const [name, setName] = useState("This device");
  return (
    <>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onCreate(name.trim());
        }}
      >
        <label className="stacked">
          <span>Name</span>
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
      {error === null ? null : <Problem error={error} />}
    </>
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
