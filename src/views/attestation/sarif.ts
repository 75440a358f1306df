import type { Violation } from "../../core/attestation/policy.ts";
import { plainLine } from "../plain-text.ts";
import type { VerificationFacts } from "./verification.ts";

/**
 * Policy settings that cannot be violated themselves: they decide which commits are covered and which signers count.
 */
type SettingRule = "movedBase" | "openRuns" | "servers" | "revokedSigners" | "origins";

const RULES: Readonly<Record<Exclude<Violation["rule"], SettingRule> | "refused", string>> = {
  commits: "A commit that no person approved",
  people: "Approved by a person without permission",
  workflows: "Made by a workflow that is not allowed",
  phases: "A required phase is not completed and accepted",
  gates: "A required gate was not answered by a person",
  channels: "A gate was answered in a way that is not allowed",
  passkeys: "A gate was not signed with a passkey that counts",
  fourEyes: "Two people must vouch",
  forbidOverruled: "A result that must not be overruled was overruled",
  adopted: "The work was made outside of isdlc",
  sandbox: "Agents were not in a sandbox",
  repository: "The commits belong to another repository",
  refused: "A statement that is not believed",
};

/** Code scanning requires a file, but a violation in the history belongs to none. */
const ANYWHERE = ".git";

type SarifResult = {
  readonly ruleId: string;
  readonly level: "error" | "warning";
  readonly message: { readonly text: string };
  readonly locations: readonly { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
};

/** Formats a verification result as SARIF 2.1.0. */
export function toSarif({ violations, refused }: Pick<VerificationFacts, "violations" | "refused">, version: string) {
  const broken = violations.map(({ rule, code, commit, run, text }) =>
    result("error", rule, { about: commit ?? run, text: `${code}: ${text}` }),
  );
  const doubted = refused.map(({ commits, run, why }) =>
    result("warning", "refused", { about: commits[0] ?? run, text: why }),
  );
  const driver = {
    name: "isdlc",
    version,
    rules: Object.entries(RULES).map(([id, text]) => ({ id, shortDescription: { text } })),
  };
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results: [...broken, ...doubted] }],
  } as const;
}

function result(
  level: "error" | "warning",
  rule: string,
  { about, text }: { about: string | null; text: string },
): SarifResult {
  const named = about === null ? "" : `${about.slice(0, 25)}: `;
  return {
    ruleId: rule,
    level,
    message: { text: `${named}${plainLine(text)}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: ANYWHERE } } }],
    partialFingerprints: { about: `${rule}/${about ?? ""}` },
  };
}
