import { readFileSync } from "node:fs";
import { eraseFromProcess } from "../../../adapters/caller/erase-from-process.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type Invocation, text } from "../grammar/verb.ts";

const VARIABLE = "ISDLC_OPERATOR_TOKEN";

/**
 * The environment of this call, with the token in it. The process itself has it no longer: neither a child nor anybody
 * who looks at the process finds it there.
 */
export function withTokenHidden(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = { ...env };
  const token = env[VARIABLE];
  if (token === undefined || token === "") return kept;
  delete env[VARIABLE];
  eraseFromProcess(token);
  return kept;
}

let fromDescriptor: string | undefined; // a descriptor can be read once

/** The token that was handed over: as an argument, by a descriptor, or in the environment. */
export function givenToken({ values, env }: Pick<Invocation, "values" | "env">): string | undefined {
  const told = text(values, "token");
  if (told !== undefined) {
    eraseFromProcess(told);
    return told;
  }
  const descriptor = text(values, "token-fd");
  if (descriptor === undefined) return env[VARIABLE];
  return (fromDescriptor ??= readToken(descriptor));
}

const LONGEST = 4096; // bytes

function readToken(descriptor: string): string {
  const refuse = (detail: string): ProblemError => new ProblemError({ code: "TOKEN_REFUSED", detail });
  if (!/^\d{1,4}$/.test(descriptor)) throw refuse(`"${descriptor.slice(0, 40)}" is no number of an open descriptor`);
  try {
    return readFileSync(Number(descriptor)).subarray(0, LONGEST).toString("utf8").trim();
  } catch {
    throw refuse(`nothing could be read from descriptor ${descriptor}`);
  }
}
