import { specOptions, verifyOptions } from "./options.ts";
import type { Verb } from "./verb.ts";

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
  specVerb("brainstorm", "Spec workflow: explore an idea"),
  specVerb("specify", "Spec workflow: write the specification"),
  specVerb("design", "Spec workflow: design it"),
  specVerb("create-plan", "Spec workflow: plan the steps"),
  specVerb("create-tasks", "Spec workflow: break the plan into tasks"),
  specVerb("implement", "Spec workflow: write the code"),
  verb("verify", "begin", {
    summary: "Spec workflow: verify the feature or a phase; with commits, who vouches for them",
    usage: "isdlc verify [phase] [feature] [options], or isdlc verify <range | branch | commit>",
    options: { ...specOptions, ...verifyOptions },
  }),
  specVerb(
    "finish",
    "Spec workflow: judge the feature, then merge, propose, keep or discard it",
    "isdlc finish [feature] [options]",
  ),
];
