import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gateIsOpen, reached, type Rogue, said, shownAs } from "../rogue.ts";
import { sizesBelow, type Stage } from "../stage.ts";

async function talks(stage: Stage, deed: string): Promise<void> {
  await stage.run({ agent: ["talk", deed] });
  reached(stage.evidence(deed).length > 0, "the agent sent the text");
}

const ignored = (deed: string, does: string, holds: string): Rogue => ({
  number: 13,
  does,
  holds,
  plain: "ignored",
  async play(stage) {
    await talks(stage, deed);
    const run = await stage.status();
    const isFirst = run.phases.filter(({ status }: { status: string }) => status === "completed").length === 1;
    return isFirst && (await gateIsOpen(stage)) ? "ignored" : "HOLE";
  },
});

/** Characters that move a cursor, hide text or reach the clipboard, except tabs and line ends. */
// oxlint-disable-next-line no-control-regex -- these characters are what is looked for
const LIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060-\u2069]/u;

async function isInert(stage: Stage): Promise<boolean> {
  const looks = await Promise.all(["gate", "status", "history"].map((verb) => stage.script(verb)));
  const texts = looks.map(said);
  const live = texts.filter((text) => LIVE.test(text));
  return live.length === 0;
}

const FIX = ["fix", "Log in", "--supervised", "--tests", "without", "--mode", "hotfix"];

export const talk: readonly Rogue[] = [
  ignored(
    "fakeVerdict",
    "prints a verdict, an answer of the user and `approved: true`",
    "no output of an agent answers a gate; isdlc skips unknown lines and keys",
  ),
  ignored(
    "otherTicket",
    "returns a result for another ticket and phase",
    "a result belongs to the execution that sent it",
  ),
  ignored(
    "artifact",
    "writes approvals, a forged review history and hidden text into its artifact and summary",
    "artifacts and summaries are data; only a person's command answers the gate",
  ),
  {
    number: 13,
    does: "returns two results",
    holds: "the execution fails and is retried once; then the run asks",
    plain: "refused",
    guest: null,
    async play(stage) {
      await talks(stage, "twoResults");
      const { waiting } = await stage.status();
      return waiting.kind === "escalation" && waiting.reason === "invalid_result" ? "refused" : "HOLE";
    },
  },
  ...(["manyDecisions", "manyQuestions"] as const).map((deed): Rogue => ({
    number: 13,
    does: `returns a result with ${deed === "manyDecisions" ? "200,000 decisions" : "20,000 questions"}`,
    holds: "the result exceeds a limit: the execution is retried once, then the run asks; a session gets an error",
    plain: "refused",
    async play(stage) {
      const result = await stage.run({ agent: ["talk", deed] });
      reached(stage.evidence(deed).length > 0, "the agent returned it");
      const { waiting } = await stage.status();
      if (stage.guest) return waiting === null && said(result).includes("cannot be used") ? "refused" : "HOLE";
      return waiting.kind === "escalation" && waiting.reason === "invalid_result" ? "refused" : "HOLE";
    },
  })),
  {
    number: 13,
    does: "reports negative and impossibly large usage under a budget",
    holds: "the usage counts as unknown, and the run asks before it continues",
    plain: "detected",
    guest: null,
    async play(stage) {
      await stage.run({ agent: ["talk", "nonsenseUsage"], args: [...FIX, "--max-usd", "5"] });
      reached(stage.evidence("nonsenseUsage").length > 0, "the agent reported the usage");
      if ((await stage.status()).waiting.kind === "gate") await stage.person("continue");
      const { waiting } = await stage.status();
      return waiting.kind === "budget" ? "detected" : "HOLE";
    },
  },
  {
    number: 13,
    does: "approves as the reviewer, with a blocker among its findings",
    holds: "a verdict with a blocker is not approved; the gate shows it as a concern",
    plain: "detected",
    async play(stage) {
      await stage.run({ reviewer: ["talk", "blocker"], args: FIX });
      reached(stage.evidence("blocker").length === 1, "the reviewer returned the verdict");
      const events = await stage.events();
      const verdict = events.find(({ type }) => type === "verdict.given");
      if (verdict?.approved !== false || !(await gateIsOpen(stage, "01-requirements"))) return "HOLE";
      return shownAs(stage, "Concerns", "it deletes the production database");
    },
  },
  {
    number: 13,
    does: 'sends `approved: "true"` as the reviewer, in an invalid format',
    holds:
      "the verdict does not match the schema: the reviewer gets one more try, then the gate shows a concern instead of an approval",
    plain: "detected",
    async play(stage) {
      await stage.run({ reviewer: ["talk", "loose"], args: FIX });
      reached(stage.evidence("loose").length > 0, "the reviewer returned the verdict");
      const verdict = (await stage.events()).find(({ type }) => type === "verdict.given");
      if (verdict?.approved !== false || !(await gateIsOpen(stage, "01-requirements"))) return "HOLE";
      return shownAs(stage, "Concerns", "No verdict");
    },
  },
  {
    number: 16,
    does: "prints escape sequences (title, clipboard, link, colors, reversed text) in progress, summary and decisions",
    holds: "gate, status, history, progress and summary show visible marks; no sequence takes effect",
    plain: "ignored",
    async play(stage) {
      const result = await stage.run({ agent: ["talk", "escapes"] });
      reached(stage.filesWith("\\u001b]52", join(stage.root, ".isdlc/journal")).length > 0, "the agent returned them");
      const summary = readFileSync(join(stage.root, ".isdlc/reviews/phase-00-summary.md"), "utf8");
      const told = said(result);
      return !LIVE.test(summary) && !LIVE.test(told) && (await isInert(stage)) ? "ignored" : "HOLE";
    },
  },
  ...(["needsInput", "escapesAndFails"] as const).map((deed): Rogue => ({
    number: 16,
    does: `prints escape sequences in ${deed === "needsInput" ? "a question" : "a failure"}`,
    holds: "gate, status and history show visible marks; no sequence takes effect",
    plain: "ignored",
    async play(stage) {
      await talks(stage, deed);
      return (await isInert(stage)) ? "ignored" : "HOLE";
    },
  })),
  {
    number: 16,
    does: "puts unterminated control sequences (OSC, DCS, 8-bit) into code comments",
    holds: "the diff shows visible marks and every following line",
    plain: "ignored",
    async play(stage) {
      await talks(stage, "comments");
      const { stdout } = await stage.script("gate", "--diff");
      const isWhole = ["after_osc", "after_dcs", "after_c1"].every((name) => stdout.includes(`+export const ${name}`));
      return isWhole && !LIVE.test(stdout) && (await isInert(stage)) ? "ignored" : "HOLE";
    },
  },
  {
    number: 16,
    does: "names a file with invisible characters or characters that reverse text",
    holds: "visible marks replace them wherever the name is shown",
    plain: "detected",
    async play(stage) {
      await talks(stage, "hiddenName");
      const diff = await stage.script("gate", "--diff");
      const doctor = await stage.script("doctor");
      const isNamed = said(diff).includes("sjm.ppa");
      const isPlain = !LIVE.test(said(diff)) && !LIVE.test(said(doctor)) && (await isInert(stage));
      return isNamed && isPlain ? "detected" : "HOLE";
    },
  },
  {
    number: 16,
    does: "names a file with line breaks, to add lines to the reviewer's prompt",
    holds: "names are escaped to one token",
    plain: "ignored",
    async play(stage) {
      await stage.run({
        agent: ["talk", "brokenName"],
        reviewer: ["talk", "notesPrompt"],
        args: ["Do it", "--tests", "without"],
      });
      reached(stage.evidence("brokenName").length > 0, "the file was written");
      const lines = stage.evidence("notesPrompt").flatMap(({ lines: found }) => found as string[]);
      reached(
        lines.some((line) => line.includes("approve this")),
        "the prompt contained the name",
      );
      return lines.some((line) => line.trim().startsWith("approve this")) ? "HOLE" : "ignored";
    },
  },
  {
    number: 16,
    does: "prints endless output",
    holds: "isdlc ends it at 256 MB and asks; the transcript stays under 5 MB",
    plain: "refused",
    guest: null,
    async play(stage) {
      await stage.run({ agent: ["talk", "flooded"] });
      reached(stage.evidence("flood").length > 0, "the agent started");
      const { waiting } = await stage.status();
      const largest = Math.max(...sizesBelow(join(stage.root, ".isdlc")).map(({ size }) => size));
      const isAsked = waiting.kind === "escalation" && waiting.detail.includes("more output than allowed");
      return isAsked && largest <= 5.1 * 1024 * 1024 ? "refused" : "HOLE";
    },
  },
];
