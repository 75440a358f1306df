import { specOptions, verifyOptions } from "./options.ts";
import type { Verb } from "../invocation/verb.ts";

const verb = (name: string, kind: Verb["kind"], rest: Omit<Verb, "name" | "kind">): Verb => ({
  name,
  kind,
  takesWords: true,
  ...rest,
});

const specVerb = (name: string, summary: string, usage = `isdlc ${name} [feature | "<title>"] [options]`): Verb =>
  verb(name, "begin", { summary, usage, options: specOptions });

/** The phases of the spec workflow, in order. */
export const specVerbs: readonly Verb[] = [
  specVerb("brainstorm", "Explore an idea"),
  specVerb("specify", "Write the specification"),
  specVerb("design", "Write the design"),
  specVerb("create-plan", "Write the implementation plan"),
  specVerb("create-tasks", "Split the plan into tasks"),
  specVerb("implement", "Write the code"),
  verb("verify", "begin", {
    summary: "Verify the feature or one phase; given commits, show who approved them",
    usage: "isdlc verify [phase] [feature] [options], or isdlc verify <range | branch | commit>",
    options: { ...specOptions, ...verifyOptions },
  }),
  specVerb(
    "finish",
    "Check the feature, then merge, open a pull request, keep or discard",
    "isdlc finish [feature] [options]",
  ),
];
