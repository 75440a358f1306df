import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ApiError } from "../api.ts";
import { announce } from "../parts/announce.tsx";

async function signStatement(run: string): Promise<readonly string[]> {
  const { sign } = await import("../passkeys.ts");
  return (await api.signStatement(run, await sign(await api.statementChallenge(run)))).lines;
}

const NOT_SIGNED = "Nothing was signed: passkey prompt cancelled or timed out.";

/** Offers to sign the statement of an ended run with a passkey, if there is one to sign. */
export function SignStatement({ run }: { readonly run: string }) {
  const { data } = useQuery({ queryKey: ["run", run, "statement"], queryFn: () => api.statementOffer(run) });
  const { mutate, isPending } = useMutation({
    mutationFn: () => signStatement(run),
    onSuccess: (lines) => announce(lines.join(" ")),
    onError: (error) =>
      announce(error instanceof ApiError ? `${error.problem.what} ${error.problem.fix}` : NOT_SIGNED, "bad"),
  });
  if (data?.isOffered !== true) return null;
  return (
    <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
      Sign what was done with a passkey
    </button>
  );
}
