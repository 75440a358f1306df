import * as z from "zod/mini";

/** Issue that the work comes from. */
export const IssueSource = z.strictObject({
  source: z.enum(["github", "gitlab", "jira"]),
  id: z.string(),
  url: z.string(),
});
