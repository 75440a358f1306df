import * as z from "zod/mini";

/** The issue that work comes from. */
export const IssueSource = z.strictObject({
  source: z.enum(["github", "gitlab", "jira"]),
  id: z.string(),
  url: z.string(),
});
