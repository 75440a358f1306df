import type { Environment } from "../process/agent-environment.ts";

/** What programs need to find themselves, their settings and their language. None of these holds a secret. */
const PASSED = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM TMPDIR TEMP TMP SYSTEMROOT COMSPEC PATHEXT",
    "JAVA_HOME GOPATH GOROOT GOMODCACHE CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN PYENV_ROOT PYENV_VERSION VIRTUAL_ENV",
    "NVM_DIR NVM_BIN VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR RBENV_ROOT GEM_HOME GEM_PATH PNPM_HOME",
    "BUN_INSTALL DENO_DIR DOTNET_ROOT ANDROID_HOME XDG_CACHE_HOME XDG_DATA_HOME SSL_CERT_FILE SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
  ]
    .join(" ")
    .split(" "),
);
const PASSED_PREFIX = /^LC_/;

export type TestEnvironmentOptions = {
  /** Variables that a person lets through besides. */
  readonly variables: readonly string[];
  /** Tools are told not to try: they would wait for an answer. */
  readonly offline: boolean;
  /** For Python, which would otherwise prefer what lies beside a source to the source. */
  readonly caches: string;
};

/** Made anew for the tests, which are code of the agent: what is not listed does not reach them. */
export function testEnvironment(
  env: Environment,
  { variables, offline, caches }: TestEnvironmentOptions,
): Record<string, string> {
  const named = new Set(variables.filter((name) => !/^ISDLC_/i.test(name)));
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (PASSED.has(name) || PASSED_PREFIX.test(name) || named.has(name)) ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(kept), ...(offline ? OFFLINE : {}), CI: "1", PYTHONPYCACHEPREFIX: caches };
}

const OFFLINE = { CARGO_NET_OFFLINE: "true", GOPROXY: "off", npm_config_offline: "true", npm_config_audit: "false" };
