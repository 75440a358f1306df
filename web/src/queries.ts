import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

/**
 * Creates the query client. Data is requested again if the server reports a change. Only unreachable servers are
 * retried, not refused requests.
 */
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
