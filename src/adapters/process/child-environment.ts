const words = (...lines: readonly string[]): readonly string[] => lines.join(" ").split(" ");

/** Needed to find programs and the user. */
export const SYSTEM = words(
  "PATH HOME USER LOGNAME SHELL TZ TMPDIR TEMP TMP",
  "SYSTEMROOT COMSPEC PATHEXT WINDIR USERPROFILE APPDATA LOCALAPPDATA",
);

const LANGUAGE = words("LANG LANGUAGE LC_*");
const TERMINAL = words("TERM COLORTERM");

/** Locations of tool chains, their versions and downloads. */
const TOOL_CHAINS = words(
  "JAVA_HOME GOPATH GOROOT GOMODCACHE CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN PYENV_ROOT PYENV_VERSION VIRTUAL_ENV",
  "NVM_DIR NVM_BIN VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR RBENV_ROOT GEM_HOME GEM_PATH PNPM_HOME",
  "BUN_INSTALL DENO_DIR DOTNET_ROOT ANDROID_HOME",
);

const CERTIFICATES = words("SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE");
const NETWORK = words("HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY REQUESTS_CA_BUNDLE CURL_CA_BUNDLE");

/** Names of authors and committers, as set by build servers. They start no programs. */
const IDENTITY = words("GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL");

/** For access to keys when commits are signed or pushed. */
const KEYS = words(
  "GNUPGHOME GPG_TTY SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS SSH_ASKPASS_REQUIRE SSH_SK_PROVIDER",
  "DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS",
);

const EVERYBODY = [...SYSTEM, ...LANGUAGE, ...TERMINAL, ...TOOL_CHAINS, ...CERTIFICATES];

/** Tests are code of the agent: none of these variables contains a secret. */
export const FOR_TESTS = [...EVERYBODY, "XDG_CACHE_HOME", "XDG_DATA_HOME"];

/** Variables that git itself reads to find its settings, time zone and temporary folder. */
export const FOR_GIT_QUESTIONS = words("HOME USER LOGNAME XDG_CONFIG_HOME TMPDIR TZ SYSTEMROOT TEMP TMP");

/** For commits, merges and pushes, with the user's hooks, filters and signing. */
export const FOR_GIT_CHANGES = [...EVERYBODY, ...NETWORK, ...IDENTITY, ...KEYS, "XDG_*", "CI"];

/** For all agents. Variables of single products are in `agent-variables.ts`. */
export const FOR_AGENTS = [
  ...EVERYBODY,
  ...NETWORK,
  ...IDENTITY,
  ...words("XDG_* CI NO_COLOR FORCE_COLOR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM"),
];

const OWN = /^ISDLC_/i;

/**
 * Returns the variables with these names only; a final star matches any ending. isdlc's own variables, above all the
 * token, are never included.
 */
export function pickVariables(env: Environment, names: readonly string[]): Record<string, string> {
  const whole = new Set(names.filter((name) => !name.endsWith("*")));
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const isNamed = (name: string): boolean => whole.has(name) || beginnings.some((start) => name.startsWith(start));
  const kept = Object.entries(env).filter(
    ([name]) => !OWN.test(name) && (isNamed(name) || isNamed(name.toUpperCase())),
  );
  return Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

export type Environment = Readonly<Record<string, string | undefined>>;

export const AGENT_VARIABLE = "ISDLC_AGENT";
export const NONCE_VARIABLE = "ISDLC_NONCE";
const OWN_PREFIX = "ISDLC_";

/** Returns the user's environment without isdlc's variables, above all tokens, plus the markers of this execution. */
export function agentEnvironment(env: Environment, nonce: string): Record<string, string> {
  return { ...withoutOwnVariables(env), [AGENT_VARIABLE]: "1", [NONCE_VARIABLE]: nonce };
}

function withoutOwnVariables(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.toUpperCase().startsWith(OWN_PREFIX)) kept[name] = value;
  }
  return kept;
}

/**
 * Wraps an agent's command line to run in a sandbox. @throws ProblemError if this is not safely possible: the agent is
 * not started
 */
export type Sandbox = (argv: readonly string[], place: SandboxedFolder) => readonly string[];

export type SandboxedFolder = { readonly cwd: string; readonly access: "read" | "write" };
