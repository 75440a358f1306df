import { useMutation } from "@tanstack/react-query";
import { api } from "../api.ts";
import { PasskeyForm } from "../parts/passkey-form.tsx";
import { useTitle } from "../title.ts";

async function register(name: string): Promise<void> {
  const { makePasskey } = await import("../passkeys.ts");
  await api.addPasskey(await makePasskey(await api.passkeyOptions(), name));
}

/** Page opened by `isdlc passkey add`. */
export function NewPasskey() {
  useTitle("Register a passkey");
  const { mutate, error, isPending, isSuccess } = useMutation({ mutationFn: register });
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
          <strong>Registered.</strong> You can close this page; the terminal shows the next step.
        </p>
      ) : (
        <PasskeyForm isPending={isPending} error={error} onCreate={mutate} />
      )}
    </div>
  );
}
