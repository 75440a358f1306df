import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { AnswerRequest } from "../../src/schema/api.ts";
import { api, ApiError } from "./api.ts";
import { announce } from "./parts/announce.tsx";

type Given = Pick<AnswerRequest, "wait" | "shown" | "option"> & Partial<AnswerRequest>;

const whole = (given: Given): AnswerRequest => ({
  text: "",
  comments: [],
  replies: [],
  tree: "restore",
  isConfirmed: false,
  ...given,
});

const answered = new Set<string | null>();

/** True for a wait that was answered in this tab: nobody has to be told that it is gone. */
export const wasAnsweredHere = (wait: string | null): boolean => answered.has(wait);

/** Sends a decision, once. What the server says to it is told; a refusal leaves every draft where it is. */
export function useAnswer(run: string) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (given: Given) => (given.option === "resume" ? api.resume(run) : api.answer(run, whole(given))),
  });
  const answer = async (given: Given, onDone: () => void): Promise<boolean> => {
    try {
      answered.add(given.wait);
      const { run: detail, warnings, isDriving } = await mutateAsync(given);
      client.setQueryData(["run", run, "detail"], detail); // what is shown next is not what was answered
      onDone();
      announce([isDriving ? "Recorded. The run goes on." : "Recorded.", ...warnings].join(" "));
      await navigate({ to: "/runs/$run", params: { run } });
      return true;
    } catch (error) {
      const problem = error instanceof ApiError ? error.problem : null;
      announce(`${problem?.what ?? "The answer could not be sent."} ${problem?.fix ?? ""}`, "bad");
      return false;
    } finally {
      void client.invalidateQueries({ queryKey: ["run", run] });
      void client.invalidateQueries({ queryKey: ["runs"] });
    }
  };
  return { answer, isSending: isPending };
}
