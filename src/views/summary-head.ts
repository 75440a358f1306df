import { type Attention, attentionFor, attentionText } from "../core/changes/attention.ts";
import type { TestCounts } from "../schema/facts.ts";
import { artifactRows } from "./artifact-rows.ts";
import { markdownText } from "./markdown.ts";
import type { EngineFacts, SummaryData } from "./summary.ts";
import { money } from "../core/duration.ts";
import { checkOutcome } from "./tests-in-full.ts";

export function titleLine({ number, name }: SummaryData): string {
  return `# Phase ${number === null ? "" : `${number} `}Summary: ${markdownText(name)}`;
}

export const minimalHead = (data: SummaryData): string => [statusLine(data), artifactsLine(data)].join("\n");

export function fullHead(data: SummaryData): string {
  const { duration, engine } = data;
  const time = duration === null ? "N/A" : `${duration.minutes}m (${duration.from} to ${duration.to})`;
  return [
    statusLine(data),
    `**Duration**: ${markdownText(time)}`,
    artifactsLine(data),
    ...(engine === null ? [] : engineLines(engine, attentionFor({ ...data, lines: engine.lines }))),
  ].join("\n");
}

const statusLine = ({ status }: SummaryData): string => `**Status**: ${markdownText(status)}`;
const artifactsLine = (data: SummaryData): string => `**Artifacts**: ${artifactRows(data).length} files`;

function engineLines(engine: EngineFacts, toRead: Attention): string[] {
  const { usage, missingUsage, checks, tree } = engine;
  const found = checks.map((check) => `${markdownText(check.name)} ${checkOutcome(check)}${countsText(check.counts)}`);
  return [
    `**Tokens**: ${tokens(usage)}${missingUsage > 0 && usage.input !== null ? ", plus executions that reported none" : ""}`,
    ...(found.length === 0 ? [] : [`**Checks**: ${found.join(", ")}`]),
    ...sandboxLines(engine),
    ...(tree === null ? [] : [`**Tree**: ${markdownText(tree)}`]),
    `**To read**: ${attentionText(toRead)}`,
  ];
}

function sandboxLines({ sandbox, network, bySession }: EngineFacts): readonly string[] {
  if (bySession) return ["**Sandbox**: unknown, an agent session did the work"];
  if (sandbox === null) return [];
  return [sandbox ? `**Sandbox**: agents ran in one (network: ${network})` : "**Sandbox**: none"];
}

function tokens({ input, output, usd }: EngineFacts["usage"]): string {
  if (input === null && output === null) return "N/A";
  const cost = usd === null ? "" : ` (${money(usd)})`;
  return `${input ?? "unknown"} in, ${output ?? "unknown"} out${cost}`;
}

function countsText(counts: TestCounts | undefined): string {
  if (counts === undefined) return "";
  const { passed, failed, skipped } = counts;
  return ` (${passed} passed, ${failed} failed, ${skipped} skipped)`;
}
