import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { AnswerRequest, AnswerResult } from "../../src/schema/api.ts";
import { api, ApiError } from "./api.ts";
import { announce } from "./parts/announce.tsx";

type AnswerInput = Pick<AnswerRequest, "wait" | "shown" | "option"> & Partial<AnswerRequest>;

/** Contains known keys only: the server rejects all others. */
const whole = ({ wait, shown, option, phase, tree, ...given }: AnswerInput): AnswerRequest => ({
  wait,
  shown,
  option,
  text: given.text ?? "",
  comments: given.comments ?? [],
  replies: given.replies ?? [],
  isConfirmed: given.isConfirmed ?? false,
  ...(phase === undefined ? {} : { phase }),
  ...(tree === undefined ? {} : { tree }),
});

/** Sends a decision. If only passkeys may decide, sends it again with its signature. */
async function send(run: string, decision: AnswerRequest): Promise<AnswerResult> {
  try {
    return await api.answer(run, decision);
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.code !== "PASSKEY_NEEDED") throw error;
    const { sign } = await import("./passkeys.ts");
    return api.answer(run, { ...decision, assertion: await sign(await api.challenge(run, decision)) });
  }
}

const answered = new Set<string | null>();

/** Returns true for a wait answered in this tab: no message about its closed gate is needed. */
export const wasAnsweredHere = (wait: string | null): boolean => answered.has(wait);

const NOT_SENT = "Not sent: passkey prompt cancelled or timed out.";
const PAUSED = "The run is paused. Edit the files, then choose Continue: the checks run again.";

/** Sends a decision without retries, and announces the server's response. A refusal changes no drafts. */
export function useAnswer(run: string) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (given: AnswerInput) => (given.option === "resume" ? api.resume(run) : send(run, whole(given))),
  });
  const answer = async (given: AnswerInput, onDone: () => void): Promise<boolean> => {
    try {
      answered.add(given.wait);
      const { run: detail, warnings, isDriving } = await mutateAsync(given);
      await client.cancelQueries({ queryKey: ["run", run] }); // drops responses from before the answer
      client.setQueryData(["run", run, "detail"], detail); // avoids displaying the answered wait again
      onDone();
      announce(
        [
          given.option === "review" ? PAUSED : isDriving ? "Recorded. The run continues." : "Recorded.",
          ...warnings,
        ].join(" "),
      );
      if (given.option !== "review") await navigate({ to: "/runs/$run", params: { run } });
      return true;
    } catch (error) {
      answered.delete(given.wait);
      announce(error instanceof ApiError ? `${error.problem.what} ${error.problem.fix}` : NOT_SENT, "bad");
      return false;
    } finally {
      void client.invalidateQueries({ queryKey: ["run", run] });
      void client.invalidateQueries({ queryKey: ["runs"] });
    }
  };
  return { answer, isSending: isPending };
}
