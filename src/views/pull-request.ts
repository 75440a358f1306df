import { OWN, ownPath, isOwnPath } from "../core/own-folder.ts";
import type { EndedRun, PhaseRecord } from "../core/run.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { isOpen, buildLedger, isUnjudged } from "../core/findings/ledger.ts";
import type { CheckResult } from "../schema/facts.ts";
import { markdownText } from "./markdown.ts";
import { checkOutcome } from "./tests-in-full.ts";
import { renderFindings } from "./reviews.ts";

export type RequestTool = "gh" | "glab";

/** File with the text of the pull request. `BODY_FILE` is its path, relative to the working tree. */
export const REQUEST_BODY = "pull-request.md";
export const BODY_FILE = ownPath(OWN.reviews, REQUEST_BODY);

/**
 * Returns the commands to push a branch and open a pull request, as argument lists, or null without a branch. `body`:
 * the text itself, for `glab`, which reads no file.
 */
export function pullRequestCommands(
  { run }: Pick<EndedRun, "run">,
  tool: RequestTool,
  body = "",
): readonly string[][] | null {
  const { branch = null, base = null } = run.git ?? {};
  if (branch === null) return null;
  const title = plainLine(run.title, 200);
  const push = ["git", "push", "-u", "origin", branch];
  const target = base ?? "main";
  return tool === "gh"
    ? [push, ["gh", "pr", "create", "--base", target, "--head", branch, "--title", title, "--body-file", BODY_FILE]]
    : [push, [...MERGE_REQUEST, target, "--source-branch", branch, "--title", title, "--description", body, "--yes"]];
}

const MERGE_REQUEST = ["glab", "mr", "create", "--target-branch"];

/**
 * Formats the text of a pull request: the request, the plan, evidence, and open findings. Text of agents is quoted as
 * code: its mentions, links and closing keywords have no effect. Other text is escaped.
 */
export function pullRequestBody(run: EndedRun, plan: string | null): string {
  const parts = [
    `Request: ${markdownText(run.run.title)}`,
    ...referenceLines(run),
    ...(plan === null || plan.trim() === "" ? [] : [`## Plan\n\n${codeBlock(plan.trim())}`]),
    `## Evidence\n\n${evidenceTable(run)}`,
    ...testLines(run),
    `## Open findings\n\n${openFindings(run)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Lists references available to readers of the pull request: git ignores isdlc's own folder. */
function referenceLines({ run: { issue, item } }: EndedRun): string[] {
  return [
    ...(issue === undefined ? [] : [`Issue: ${issue.url}`]),
    ...(isOwnPath(item) ? [] : [`Documents: ${markdownText(item)}`]),
  ];
}

const MAX_PLAN_LENGTH = 20_000; // in characters; a pull request may have 65,536

/** Quotes text with a fence longer than any in it. */
function codeBlock(text: string): string {
  const shown = plainText(text).slice(0, MAX_PLAN_LENGTH);
  const longest = Math.max(3, ...[...shown.matchAll(/~+/g)].map(([run]) => run.length + 1));
  const fence = "~".repeat(longest);
  return `${fence}text\n${shown}\n${fence}`;
}

/** Quotes one line between more backticks than any in it. */
function codeSpan(text: string): string {
  const line = plainLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${ticks}${space}${line}${space}${ticks}`;
}

function evidenceTable(run: EndedRun): string {
  const rows = run.phases.filter(({ dropped }) => !dropped).map((phase) => phaseRow(run, phase));
  return ["| Phase | Checks | Reviewer | Gate |", "|---|---|---|---|", ...rows].join("\n");
}

function phaseRow(run: EndedRun, { rule, status, made, iterations }: PhaseRecord): string {
  const checks = (made?.checks ?? []).map((check) => `${check.name} ${checkOutcome(check)}`).join(", ");
  const isFailed = made !== null && isUnjudged(made);
  const verdict = made?.approved === true ? "approved" : isFailed ? "failed" : "did not approve";
  const reviewer = rule.reviewer === null || iterations.length === 0 ? "" : `${verdict} (${iterations.length})`;
  const answers = run.answers.filter(({ phase }) => phase === rule.key);
  const gate = answers.map(({ choice, by }) => `${choice} by ${by.name}`).join(", ");
  const cells = [status === "skipped" ? `${rule.name} (skipped)` : rule.name, checks, reviewer, gate];
  return `| ${cells.map((cell) => markdownText(cell)).join(" | ")} |`;
}

/** Describes the last tests that ran or could not be started. */
function testLines({ phases }: EndedRun): string[] {
  const all = phases.flatMap(({ made }) => made?.checks ?? []);
  const last = all.findLast(
    (check): check is CheckResult => check.name === "tests" && (check.ok !== null || check.notStarted === true),
  );
  if (last === undefined) return ["Tests: not run"];
  const { counts } = last;
  const told = counts === undefined ? "" : ` (${counts.passed} passed, ${counts.failed} failed)`;
  return [`Tests: ${checkOutcome(last)}${told}`];
}

function openFindings({ phases }: EndedRun): string {
  const lines = phases.flatMap(({ rule, iterations }) => {
    const ledger = buildLedger(iterations);
    const open = renderFindings({ ...ledger, findings: ledger.findings.filter(isOpen) });
    return open.map((line) => `- ${markdownText(rule.name)}: ${codeSpan(line)}`);
  });
  const concerns = phases.flatMap(({ rule, made }) =>
    (made?.concerns ?? []).map((concern) => `- ${markdownText(rule.name)}: ${codeSpan(concern)}`),
  );
  return [...lines, ...concerns].join("\n") || "None.";
}
