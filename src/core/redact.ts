/** Replacement for a secret. */
export const REDACTED = "[secret]";
/** Maximum characters; longer text is cut to limit the time of redaction. */
export const MAX_TEXT_LENGTH = 4_000_000;
/** Shorter values are too likely to be ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * Redacts a text: the given values, also in base64, URL and JSON form, and well-known kinds of keys. Not found: values
 * under eight characters, and values split, encrypted or compressed.
 */
export function createRedactor(secretValues: readonly string[]): (text: string) => string {
  const literals = literalForms(secretValues);
  return (text) => {
    let clean = text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
    for (const literal of literals) clean = clean.replaceAll(literal, REDACTED);
    clean = withoutPrivateKeys(clean);
    for (const pattern of PATTERNS) clean = clean.replace(pattern, REDACTED);
    for (const pattern of PREFIXED_PATTERNS) clean = clean.replace(pattern, `$<before>${REDACTED}`);
    clean = clean.replace(ASSIGNMENT, redactAssignment).replace(ENCODED_LINE, redactEncodedLine);
    const missing = text.length - MAX_TEXT_LENGTH;
    return missing > 0 ? `${clean}\n[cut: ${missing} more characters]` : clean;
  };
}

/** Returns values of environment variables whose names mark them as secret. */
export function listSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (value !== undefined && SECRET_NAME.test(name) ? [value] : []));
}

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)$|CREDENTIAL/i;

/**
 * Each pattern takes linear time: it starts with fixed characters and repeats a single class. If something must follow
 * the repetition, the start cannot occur again inside it. A preceding letter or digit prevents a match, unless it
 * belongs to an escape such as \n.
 */
const PATTERNS: readonly RegExp[] = [
  /(?<!(?<!\\)[A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/g, // OpenAI, Anthropic
  /(?<!(?<!\\)[A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g, // Stripe
  /(?<!(?<!\\)[A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{16,}/g, // GitHub
  /(?<!(?<!\\)[A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/g,
  /(?<!(?<!\\)[A-Za-z0-9])glpat-[A-Za-z0-9_-]{16,}/g, // GitLab
  /(?<!(?<!\\)[A-Za-z0-9])tvly-[A-Za-z0-9-]{8,}/g, // Tavily
  /(?<!(?<!\\)[A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}/g, // Amazon
  /(?<!(?<!\\)[A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}/g, // Google
  /(?<!(?<!\\)[A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}/g, // Slack
  /(?<!(?<!\\)[A-Za-z0-9])npm_[A-Za-z0-9]{30,}/g,
  /(?<!(?<!\\)[A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g, // Hugging Face
  /(?<!(?<!\\)[A-Za-z0-9])isdlc_[A-Za-z0-9_-]{40,}/g, // approval token of isdlc
  /(?<!(?<!\\)[A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}/g, // JSON web token
];

const PREFIXED_PATTERNS: readonly RegExp[] = [
  /(?<before>:\/\/)[^\s/:@"'`<>]*:[^\s/"'`<>]*(?=@)/g, // user and password in a URL
  /(?<before>(?<!(?<!\\)[A-Za-z0-9])authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:basic|bearer|token)\s{1,3})[^\s"',;]+/gi,
  /(?<before>(?<!(?<!\\)[A-Za-z0-9])bearer\s{1,3})[A-Za-z0-9._~+/=-]{16,}/gi,
];

/** `SOME_KEY=value`, as in printed environments and configuration files. */
const ASSIGNMENT =
  /(?<before>(?:_KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s{0,3}[:=]\s{0,3}["']?)(?<value>[^\s"',;]{8,})/g;

/** A whole line of base64, as in wrapped keys: a key printed line by line has lost its header. */
const ENCODED_LINE = /^[A-Za-z0-9+/]{64}$/gm;

/** Keeps values without a digit: they are more often code than a secret. */
function redactAssignment(all: string, before: string, value: string): string {
  return /[0-9]/.test(value) ? before + REDACTED : all;
}

/** Keeps checksums in hexadecimal, which have the same length but only one case. */
function redactEncodedLine(line: string): string {
  return /[a-z]/.test(line) && /[A-Z]/.test(line) ? REDACTED : line;
}

/** Searches in code: with many starts but no end, a pattern would scan the rest again for each start. */
function withoutPrivateKeys(text: string): string {
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/g;
  const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
  let clean = "";
  let from = 0;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    end.lastIndex = found.index;
    clean += text.slice(from, found.index) + REDACTED;
    from = end.exec(text) === null ? text.length : end.lastIndex;
    begin.lastIndex = from;
  }
  return clean + text.slice(from);
}

/** Longest first: replacing a value inside another would leave the rest visible. */
function literalForms(values: readonly string[]): readonly string[] {
  const lines = values.flatMap((value) => [value, ...value.split(/\r?\n/)]).map((value) => value.trim());
  const forms = lines.filter((value) => value.length >= SHORTEST_SECRET).flatMap(listForms);
  return [...new Set(forms)]
    .filter((form) => form.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
}

function listForms(value: string): readonly string[] {
  const encoded = [0, 1, 2].map((shift) => base64Within(value, shift));
  const urlSafe = encoded.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [value, percentForm(value), JSON.stringify(value).slice(1, -1), ...encoded, ...urlSafe];
}

/** Returns base64 of the value `shift` bytes after a boundary, without characters shared with its neighbours. */
function base64Within(value: string, shift: number): string {
  const bytes = new TextEncoder().encode("\0".repeat(shift) + value);
  const encoded = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function percentForm(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // half of a surrogate pair
  }
}
