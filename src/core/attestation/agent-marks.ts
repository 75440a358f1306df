import type { SeenCommit } from "./seen-commit.ts";

/** How agents sign what they commit by themselves, each as its product writes it. */
const MARKS: readonly (readonly [agent: string, mark: RegExp])[] = [
  ["Claude Code", /\bclaude\b.*<noreply@anthropic\.com>|generated with \[?claude code/i],
  ["Codex", /\bcodex\b.*<[^>]*@openai\.com>|<codex@|\bchatgpt-codex-connector/i],
  ["GitHub Copilot", /\bcopilot\b.*<[^>]*@users\.noreply\.github\.com>|copilot-swe-agent/i],
  ["Gemini CLI", /\bgemini\b.*<[^>]*@google\.com>|gemini-cli/i],
  ["Cursor", /\bcursor\b.*<cursoragent@cursor\.com>/i],
  ["Jules", /google-labs-jules/i],
  ["Devin", /devin-ai-integration/i],
  ["Amp", /<amp@ampcode\.com>/i],
  ["aider", /\(aider\)|<noreply@aider\.chat>/i],
  ["opencode", /<noreply@opencode\.ai>/i],
];

/** The agent that a commit says it was made by; null when it says nothing of the kind. */
export function agentOf({ author, committer, trailers }: SeenCommit): string | null {
  const told = [author, committer, ...trailers];
  return MARKS.find(([, mark]) => told.some((line) => mark.test(line)))?.[0] ?? null;
}
