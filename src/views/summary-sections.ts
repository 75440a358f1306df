import { actingFiles } from "../core/changes/acting-files.ts";
import type { FileChange } from "../schema/facts.ts";
import { artifactRows } from "./artifact-rows.ts";
import { fileLink, markdownPath, markdownText } from "./markdown.ts";
import { plainLine } from "./plain-text.ts";
import type { EngineFacts, SummaryData } from "./summary.ts";
import { actingLine } from "./change-facts.ts";
import { testNotes } from "./tests-in-full.ts";

const MAX_DECISIONS = 5;
/** Maximum number of rows in a list. */
const MAX_ROWS = 200;

export function decisionsSection({ decisions }: SummaryData): string {
  return section(
    "Key Decisions",
    decisions.length === 0 ? "No summary available." : bullets(decisions.slice(0, MAX_DECISIONS)),
  );
}

export function artifactSection(data: SummaryData): string {
  const rows = artifactRows(data).map(({ path, status }) => `| ${markdownPath(path)} | ${status} |`);
  const table = `| File | Status |\n|------|--------|\n${list(rows)}`;
  return section("Artifacts Created/Modified", rows.length === 0 ? "No file changes recorded." : table);
}

export function changesSection(title: string, changes: readonly FileChange[] | null): string {
  if (changes === null) return section(title, "Git diff unavailable.");
  if (changes.length === 0) return section(title, "No files changed.");
  const lines = changes.map(({ path, change }) => `${CHANGE_LETTERS[change]}\t${plainLine(path)}`);
  return section(title, `\`\`\`text\n${list(lines)}\n\`\`\``);
}

const CHANGE_LETTERS: { readonly [C in FileChange["change"]]: string } = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  typechange: "T",
};

/** Lists warnings of the engine. Returns an empty list if there are none. */
export function engineSections(engine: EngineFacts | null): string[] {
  if (engine === null) return [];
  const { concerns, unexpected, findings, checks, denied = [], notices = [], unmentioned = [] } = engine;
  return [
    ...listed("Concerns", concerns.map(bullet)),
    ...listed("Findings of the Reviewer", findings.map(bullet)),
    ...listed("Unexpected Writes", unexpected.map(pathBullet)),
    ...listed("Not Mentioned by the Agent", unmentioned.map(pathBullet)),
    ...listed("About the Repository", notices.map(bullet)),
    ...listed("Refused to the Agent", denied.map(bullet)),
    ...listed("About the Tests", testNotes(checks).map(bullet)),
  ];
}

/** Returns the changes of how tests run, before everything else. */
export function testSetupSection({ engine }: SummaryData): string[] {
  const changed = engine?.testsChanged ?? null;
  return changed === null ? [] : [section("Tests Are Run Differently", markdownText(changed))];
}

/** Lists files that take effect without being called, before all other files. */
export function actingSection({ changed, changedSinceSeen }: SummaryData): string[] {
  const files = actingFiles([...(changed ?? []), ...(changedSinceSeen ?? [])].map(({ path }) => path));
  return listed(
    "Read These First",
    files.map((file) => bullet(actingLine(file))),
  );
}

const listed = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [section(title, list(lines))];

const bullet = (text: string): string => `- ${markdownText(text)}`;
const pathBullet = (path: string): string => `- ${markdownPath(path)}`;

export function linksSection(data: SummaryData): string {
  const present = artifactRows(data).filter(({ status }) => status !== "Deleted");
  const links = present
    .map(({ path }) => fileLink(path, data.folder.split("/").length))
    .filter((link) => link !== null);
  return section("Links", links.length === 0 ? "None." : list(links.map((link) => `- ${link}`)));
}

const section = (title: string, body: string): string => `## ${title}\n${body}`;

const bullets = (texts: readonly string[]): string => list(texts.map(bullet));

function list(lines: readonly string[]): string {
  const left = lines.length - MAX_ROWS;
  return [
    ...lines.slice(0, MAX_ROWS),
    ...(left > 0
      ? [`… and ${left} more, which are not listed here; \`isdlc gate --json\` and \`isdlc gate --diff\` have them all`]
      : []),
  ].join("\n");
}
