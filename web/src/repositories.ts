import { useQuery } from "@tanstack/react-query";
import type { ProjectView } from "../../src/schema/api-project.ts";
import { api } from "./api.ts";
import { useStored } from "./stored.ts";

type Repository = ProjectView["repositories"][number];

/** Those of a team in which this person has a role; empty where the page is for one repository. */
export function useRepositories(): readonly Repository[] {
  const { data } = useQuery({ queryKey: ["project"], queryFn: api.project });
  return data?.repositories ?? [];
}

export type RepositoryChoice = {
  readonly names: readonly string[];
  /** Null where there is none. */
  readonly name: string | null;
  readonly pick: (name: string) => void;
};

/** The one that this person looked at last, among those that come into question here. */
export function usePickedRepository(isMeant: (repository: Repository) => boolean = () => true): RepositoryChoice {
  const [picked, pick] = useStored<string>("isdlc.repository", "");
  const names = useRepositories()
    .filter(isMeant)
    .map(({ name }) => name);
  return { names, name: names.includes(picked) ? picked : (names[0] ?? null), pick };
}
