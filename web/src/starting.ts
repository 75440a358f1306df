import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Choice } from "../../src/schema/api-project.ts";
import { api } from "./api.ts";
import { announce } from "./parts/announce.tsx";
import type { Start } from "./parts/asked.tsx";

/** Starts the requested work and displays it, or returns the choice that the user must make first. */
export function useStart(repository: string | null) {
  const [choice, setChoice] = useState<Choice | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ wish, chosen }: Start) =>
      api.start(repository, { ...wish, title: wish.title.trim(), choices: chosen }),
    onSuccess: async (started, { wish }) => {
      setChoice(started.choice);
      if (started.choice !== null) return;
      await client.invalidateQueries();
      announce(wish.what === "add" ? "Added to the backlog." : "Started.");
      if (started.run === null) await navigate({ to: wish.what === "add" ? "/items" : "/" });
      else await navigate({ to: "/runs/$run", params: { run: started.run } });
    },
  });
  return { begin: mutate, choice, isPending, error };
}
