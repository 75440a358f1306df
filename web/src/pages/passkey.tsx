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
        Use it to sign decisions. A signature covers the run, the summary shown, your choice and your text. Programs
        running as you cannot sign for you.
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
