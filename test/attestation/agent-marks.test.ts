import { describe, expect, test } from "vitest";
import { parseCommit } from "../../src/adapters/attestation/parse-commit.ts";
import { findAgentMark } from "../../src/core/attestation/agent-marks.ts";

const ID = "1".repeat(40);

function agentIn(message: string, author = "Ada <ada@example.org>"): string | null {
  const lines = [`tree ${ID}`, `author ${author} 1793530800 +0000`, "committer Ada <ada@example.org> 1793530800 +0000"];
  const commit = parseCommit(ID, Buffer.from(`${lines.join("\n")}\n\n${message}\n`));
  if (commit === null) throw new Error("not a commit");
  return findAgentMark(commit);
}

describe("agent marker in a commit", () => {
  test.for([
    "Co-Authored-By: Claude <noreply@anthropic.com>",
    "Co-Authored-By: Claude Opus 5 <noreply@anthropic.com>",
    "🤖 Generated with [Claude Code](https://claude.com/claude-code)",
    "Generated with Claude Code",
    "Claude-Session: https://claude.ai/code/session_01",
    "Co-authored-by: Codex <codex@openai.com>",
    "Co-authored-by: Copilot <198982749+Copilot@users.noreply.github.com>",
    "Agent-Logs-Url: https://github.com/o/r/sessions/1",
    "Co-authored-by: gemini-code-assist[bot] <176961590+gemini-code-assist[bot]@users.noreply.github.com>",
    "Co-authored-by: gemini-cli <218195315+gemini-cli@users.noreply.github.com>",
    "Co-authored-by: Cursor <cursoragent@cursor.com>",
    "Co-authored-by: openhands <openhands@all-hands.dev>",
    "Co-authored-by: Windsurf <windsurf@codeium.com>",
    "Co-authored-by: Windsurf",
    "Co-authored-by: Kiro <noreply@kiro.dev>",
    "Amp-Thread-ID: https://ampcode.com/threads/T-1",
    "💘 Generated with Crush",
    "🤖 Generated with [opencode](https://opencode.ai)",
    "Generated-by: Claude Code",
    "Assisted-by: Claude Sonnet 5",
    "AI-Session: 42",
  ])("is recognized: %s", (line) => {
    expect(agentIn(`Work\n\n${line}`)).not.toBeNull();
    expect(
      agentIn(`Squash (#7)\n\n* Work\n\n${line}\n\n* More work\n\nSigned-off-by: Ada <ada@example.org>`),
    ).not.toBeNull();
  });

  test.for([
    "claude[bot] <209825114+claude[bot]@users.noreply.github.com>",
    "gemini-code-assist[bot] <176961590+gemini-code-assist[bot]@users.noreply.github.com>",
    "copilot-swe-agent[bot] <198982749+Copilot@users.noreply.github.com>",
    "google-labs-jules[bot] <161369871+google-labs-jules[bot]@users.noreply.github.com>",
    "devin-ai-integration[bot] <158243242+devin-ai-integration[bot]@users.noreply.github.com>",
    "kiro-agent[bot] <1+kiro-agent[bot]@users.noreply.github.com>",
    "Ada (aider) <ada@example.org>",
  ])("is recognized in the author %s", (author) => {
    expect(agentIn("Work", author)).not.toBeNull();
  });
});

describe("commit without an agent marker", () => {
  test.for([
    "Explain in the guide how Claude Code is installed",
    "The report was generated with a script",
    "Generated with protoc 27",
    "Co-authored-by: Claude Dupont <claude@example.org>",
    "Signed-off-by: Devin Booker <devin@example.org>",
    "Reviewed-by: Jules <jules@example.org>",
    "Refs: https://claude.ai/docs",
    "Fix the agent's session handling",
    "AI-generated: no",
  ])("is not marked by %s", (line) => {
    expect(agentIn(`Work\n\n${line}`)).toBeNull();
  });
});
