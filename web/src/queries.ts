import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

/** Everything shown is asked for again when the server says that it changed; a refusal is not asked twice. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < 3 && error instanceof ApiError && error.status === 0,
      },
    },
  });
}
