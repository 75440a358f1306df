import { useQuery } from "@tanstack/react-query";
import type { ProjectView } from "../../src/schema/api-project.ts";
import { api } from "./api.ts";
import { useStored } from "./stored.ts";

type TeamRepository = ProjectView["repositories"][number];

/** Returns the team's repositories in which the user has a role. Returns an empty list for `isdlc ui`. */
export function useRepositories(): readonly TeamRepository[] {
  const { data } = useQuery({ queryKey: ["project"], queryFn: api.project });
  return data?.repositories ?? [];
}

export type RepositoryChoice = {
  readonly names: readonly string[];
  /** Null if there is no repository. */
  readonly name: string | null;
  readonly pick: (name: string) => void;
};

/** Returns the last selected repository if `isMeant` accepts it, or else the first accepted one. */
export function usePickedRepository(isMeant: (repository: TeamRepository) => boolean = () => true): RepositoryChoice {
  const [picked, pick] = useStored<string>("isdlc.repository", "");
  const names = useRepositories()
    .filter(isMeant)
    .map(({ name }) => name);
  return { names, name: names.includes(picked) ? picked : (names[0] ?? null), pick };
}
