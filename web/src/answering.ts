import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { AnswerRequest, AnswerResult } from "../../src/schema/api.ts";
import { api, ApiError } from "./api.ts";
import { announce } from "./parts/announce.tsx";

type AnswerInput = Pick<AnswerRequest, "wait" | "shown" | "option"> & Partial<AnswerRequest>;

/** Nothing else is sent: the server takes no key that it does not know. */
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

/** Where only passkeys may decide, the same decision is sent once more with its signature. */
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

/** True for a wait that was answered in this tab: nobody has to be told that it is gone. */
export const wasAnsweredHere = (wait: string | null): boolean => answered.has(wait);

const NOT_SENT = "Not sent: passkey prompt cancelled or timed out.";
const PAUSED = "The run is paused. Edit the files, then choose Continue: the checks run again.";

/** Sends a decision, once. What the server says to it is told; a refusal leaves every draft where it is. */
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
      await client.cancelQueries({ queryKey: ["run", run] }); // asked before the answer, told after it
      client.setQueryData(["run", run, "detail"], detail); // what is shown next is not what was answered
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
