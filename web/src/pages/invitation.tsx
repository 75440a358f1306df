import { useState } from "react";
import { api } from "../api.ts";
import { PasskeyForm } from "../parts/passkey-form.tsx";
import { useTitle } from "../title.ts";

/** Page of an invitation link. Creating a passkey here also signs in. */
export function Invitation({ secret }: { readonly secret: string }) {
  useTitle("Invitation");
  const [error, setError] = useState<Error | null>(null);
  const [isPending, setIsPending] = useState(false);
  const accept = async (name: string): Promise<void> => {
    setIsPending(true);
    setError(null);
    try {
      const { makePasskey } = await import("../passkeys.ts");
      await api.acceptInvitation(secret, await makePasskey(await api.invitationOptions(secret), name));
      location.assign("/");
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setIsPending(false);
    }
  };
  return (
    <main className="closed">
      <img src="/icon.svg" alt="" width="40" height="40" />
      <h1>You are invited</h1>
      <p>Make a passkey. From now on you sign in with it; there is nothing else to remember.</p>
      <PasskeyForm isPending={isPending} error={error} onCreate={(name) => void accept(name)} />
    </main>
  );
}
