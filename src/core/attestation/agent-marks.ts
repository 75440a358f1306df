import type { SeenCommit } from "./history.ts";

/** Names and email addresses that agent products write as author, committer or co-author. */
const IDENTITIES: readonly (readonly [agent: string, identity: RegExp])[] = [
  ["Claude Code", /<noreply@anthropic\.com>|\bclaude(?:-code)?\[bot\]/i],
  [
    "Codex",
    /\bcodex\b.*<[^>]*@openai\.com>|<codex@|\bchatgpt-codex-connector\b|\bcodex\[bot\]|\bcodex\b.*@users\.noreply/i,
  ],
  ["GitHub Copilot", /\bcopilot\b.*<[^>]*@(?:users\.noreply\.)?github\.com>|copilot-swe-agent|\bcopilot\[bot\]/i],
  ["Gemini", /\bgemini\b.*<[^>]*@google\.com>|\bgemini-(?:cli|code-assist)\b/i],
  ["Cursor", /<(?:cursoragent|agent|noreply)@cursor\.(?:com|sh)>|\bcursor(?:agent)?\[bot\]/i],
  ["Jules", /google-labs-jules/i],
  ["Devin", /devin-ai-integration|\bdevin\b.*<[^>]*@(?:cognition\.ai|devin\.ai)>/i],
  ["Amp", /<amp@ampcode\.com>/i],
  ["aider", /\(aider\)|<noreply@aider\.chat>|<aider@aider\.chat>/i],
  ["opencode", /<noreply@opencode\.ai>|\bopencode-agent\b|\bopencode\[bot\]/i],
  ["OpenHands", /<openhands@(?:all-hands|openhands)\.dev>|\bopenhands-(?:agent|ai)\b|\bopenhands\[bot\]/i],
  ["Windsurf", /\bwindsurf(?:-bot)?\[bot\]|<(?:windsurf|cascade|noreply)@(?:windsurf|codeium)\.(?:com|ai)>/i],
  ["Kiro", /\bkiro(?:-agent)?\[bot\]|<(?:noreply|kiro|agent|ai)@kiro\.dev>|\bkiro-agent\b/i],
  ["Amazon Q", /\bamazon-q-developer\b/i],
  ["Factory Droid", /\bfactory-droid\b/i],
  ["Junie", /\bjetbrains-junie\b|<junie@jetbrains\.com>/i],
  ["Qwen Code", /<qwen-coder@alibabacloud\.com>/i],
  ["Crush", /<crush@charm\.land>/i],
  ["Warp", /<agent@warp\.dev>/i],
  ["Replit Agent", /\breplit-agent\b|<[^>]*agent@replit\.com>/i],
  ["Lovable", /\b(?:lovable-dev|gpt-engineer-app)\[bot\]/i],
  [
    "an agent named in a trailer",
    /^[a-z-]+-(?:by|with)\s*: *(?:windsurf|aider|copilot|codex|openhands|opencode|chatgpt|gpt-\d|kiro|cursor agent|claude code|claude (?:opus|sonnet|haiku|fable))\b/i,
  ],
  ["Sweep", /\bsweep-ai\[bot\]/i],
  ["CodeRabbit", /\bcoderabbitai\[bot\]/i],
];

const PRODUCTS = [
  "claude code|claude",
  "openai codex|codex(?: cli)?",
  "github copilot|copilot",
  "gemini(?: cli| code assist)?",
  "cursor(?: agent)?",
  "windsurf|cascade",
  "kiro",
  "openhands",
  "opencode",
  "amp(?:code)?",
  "crush",
  "aider",
  "devin",
  "jules",
  "goose",
  "qwen(?: code)?",
  "junie",
  "factory(?: droid)?|droid",
  "warp",
  "cline",
  "roo(?: code)?",
].join("|");

/**
 * Lines that agents add to messages. A pattern needs the start of a line or a session URL: a sentence about an agent
 * does not match.
 */
const LINES: readonly (readonly [agent: string, line: RegExp])[] = [
  [
    "an agent named in a trailer",
    new RegExp(
      String.raw`^\W*(?:generated|created|written|authored|assisted)(?:[ -](?:with|by):?)+ *\[?(?:${PRODUCTS})\b`,
      "iu",
    ),
  ],
  ["Claude Code", /^claude-(?:session|code-session)[\w-]*: |\bclaude\.ai\/code\/session/i],
  ["Codex", /^codex-(?:session|task|thread)[\w-]*: |\bchatgpt\.com\/codex\/tasks?\//i],
  ["GitHub Copilot", /^agent-logs-url: |^copilot-session[\w-]*: /i],
  ["Amp", /^amp-thread(?:-id)?: |\bampcode\.com\/threads\//i],
  ["Cursor", /^cursor-(?:session|agent)[\w-]*: |\bcursor\.com\/(?:agents|background-agent)/i],
  ["Devin", /\bapp\.devin\.ai\/sessions\//i],
  ["Jules", /\bjules\.google\.com\/(?:task|session)/i],
  ["OpenHands", /^openhands-(?:session|conversation)[\w-]*: |\ball-hands\.dev\/conversations\//i],
  ["Windsurf", /^windsurf-(?:session|cascade)[\w-]*: /i],
  ["Kiro", /^kiro-(?:session|task|spec)[\w-]*: /i],
  ["Gemini", /^gemini-session[\w-]*: /i],
  ["opencode", /^opencode-session[\w-]*: |\bopencode\.ai\/s\//i],
  ["Replit Agent", /^replit-commit-(?:author: *agent|session-id: )/i],
  ["an agent named in a trailer", /^(?:ai|agent)-(?:session|session-id|generated|model|agent): (?!none|no\b|false)/i],
];

/** Trailers that name the author of a commit, such as `Co-authored-by:`. */
const NAMES_AUTHOR =
  /^[a-z-]*(?:author(?:ed)?|committed|generated|assisted|written|made|developed)[a-z-]*-(?:by|with)\s*:/i;

/**
 * Returns the agent named as the author of a commit; null without such a mark. Reads the whole message, because a host
 * that squashes combines the messages of all commits.
 */
export function findAgentMark({ author, committer, trailers, message }: SeenCommit): string | null {
  const names = [author, committer, ...trailers.filter((line) => NAMES_AUTHOR.test(line))];
  const identity = IDENTITIES.find(([, pattern]) => names.some((name) => pattern.test(name)));
  if (identity !== undefined) return identity[0];
  const lines = message.split("\n").map((line) => line.trim());
  return LINES.find(([, pattern]) => lines.some((line) => pattern.test(line)))?.[0] ?? null;
}
