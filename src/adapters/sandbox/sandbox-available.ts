import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { findProgram } from "../process/find-program.ts";
import { SYSTEM, pickVariables, type Environment } from "../process/child-environment.ts";
import { BASE } from "./bwrap-arguments.ts";

export type SandboxAvailable =
  | { readonly ok: true; readonly version: string; readonly bwrap: string }
  | { readonly ok: false; readonly why: string; readonly fix: string };

const proven = new Map<string, SandboxAvailable>();

/** Finds bubblewrap on the PATH, and tests once if it works here. */
export function sandboxAvailable(env: Environment): SandboxAvailable {
  if (process.platform !== "linux")
    return { ok: false, why: "bubblewrap is only available on Linux", fix: "run the agent in a container" };
  const found = findProgram("bwrap", env);
  if (!found.ok) return { ok: false, why: "bubblewrap is not installed", fix: "apt-get install bubblewrap" };
  const known = proven.get(found.path) ?? prove(found.path, env);
  proven.set(found.path, known);
  return known;
}

const PROBE_TIMEOUT_MS = 5000; // milliseconds; usually takes about ten

function prove(bwrap: string, env: Environment): SandboxAvailable {
  const run = (args: readonly string[]) =>
    spawnSync(bwrap, args, {
      env: pickVariables(env, SYSTEM),
      encoding: "utf8",
      timeout: PROBE_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
  const version = /\d+(?:\.\d+)+/.exec(run(["--version"]).stdout)?.[0] ?? "unknown";
  const { status, stderr, error } = run([...BASE, ...PROOF, "--", ...NO_KERNEL]);
  if (status === 0) return { ok: true, version, bwrap };
  const said = error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`);
  return { ok: false, why: `bubblewrap does not work here (${said})`, fix: describeFix() };
}

/** Uses each kind of argument once, to detect versions without one of them. */
const PROOF = [
  ..."--tmpfs /tmp --remount-ro /tmp --setenv TMPDIR /tmp".split(" "),
  ..."--bind /usr /usr --ro-bind /usr /usr --chdir / --unshare-net".split(" "),
];

/** Fails if root could change the kernel or a disk from inside the sandbox. */
const NO_KERNEL = [
  "sh",
  "-c",
  `for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/irq/default_smp_affinity /sys/kernel /dev/mem /dev/kmsg; do
    if test -w "$file"; then echo "$file can be written inside" >&2; exit 1; fi
  done
  for file in /dev/*; do
    if test -b "$file"; then echo "$file is there inside" >&2; exit 1; fi
  done`,
];

/** Settings of systems that restrict namespaces of ordinary users. */
const SWITCHES: readonly (readonly [name: string, closed: string, open: string])[] = [
  ["kernel.apparmor_restrict_unprivileged_userns", "1", "0"],
  ["kernel.unprivileged_userns_clone", "0", "1"],
  ["user.max_user_namespaces", "0", "15000"],
];

function describeFix(): string {
  const closed = SWITCHES.find(([name, value]) => kernelSetting(name) === value);
  if (closed !== undefined) return `sysctl -w ${closed[0]}=${closed[2]}`;
  return "allow this user to make namespaces; in a container, start it with the rights to do so";
}

function kernelSetting(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
  } catch {
    return null; // this kernel has no such setting
  }
}
