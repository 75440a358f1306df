/** What an agent finds in its sandbox. All paths are absolute; later groups win over earlier ones. */
export type SandboxPlan = {
  /** Empty and writable, thrown away at the end. */
  readonly hidden: readonly string[];
  /** Read-only again below something hidden. */
  readonly shown: readonly Bound[];
  /** Empty, writable and thrown away, below something shown. */
  readonly emptied: readonly string[];
  readonly writable: readonly Bound[];
  /** Read-only below something writable. */
  readonly locked: readonly Bound[];
  /** Writable below something locked. */
  readonly reopened: readonly string[];
  /** Empty and read-only, whatever came before. */
  readonly masked: readonly string[];
  readonly cwd: string;
  /** With a network of its own, which leads nowhere. */
  readonly offline?: boolean;
};

/** What is at `from` outside shows at `at` inside. */
export type Bound = { readonly from: string; readonly at: string };

/** The command line of bubblewrap, up to and without the program. */
export function bwrapArguments(plan: SandboxPlan): readonly string[] {
  return [
    ...BASE,
    ...(plan.offline === true ? ["--unshare-net"] : []),
    ...byDepth(plan.hidden).flatMap((path) => ["--tmpfs", path]),
    ...plan.shown.flatMap(({ from, at }) => ["--ro-bind", from, at]),
    ...plan.emptied.flatMap((path) => ["--tmpfs", path]),
    ...plan.writable.flatMap(({ from, at }) => ["--bind", from, at]),
    ...plan.locked.flatMap(({ from, at }) => ["--ro-bind", from, at]),
    ...plan.reopened.flatMap((path) => ["--bind", path, path]),
    ...plan.masked.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...Object.entries(VARIABLES).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    plan.cwd,
    "--",
    ...FIRST_PROCESS,
  ];
}

/**
 * The sandbox lasts as long as its first process, and bubblewrap waits for exactly that one: when the shell ends, the
 * kernel has ended everyone else. Bubblewrap's own first process tells of the program's end before it ends itself, and
 * what the program left could go on for some milliseconds. What the shell has to say of signals is not the program's.
 */
const FIRST_PROCESS = ["/bin/sh", "-c", 'exec 3>&2 2>/dev/null; "$0" "$@" 2>&3 3>&-; exit'];

/** Files by which root sets the kernel. Without capabilities root still owns them, and could write. */
const KERNEL = [
  ..."/proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/driver".split(" "),
  ..."/proc/mtrr /proc/pressure /proc/acpi /proc/scsi /proc/latency_stats".split(" "),
];

/**
 * Everything read-only, with processes, message queues, devices and a session of its own. The network stays: agents
 * need their service. Dropping capabilities matters for root only, who would otherwise just mount it all again.
 */
export const BASE: readonly string[] = [
  ..."--unshare-pid --as-pid-1 --unshare-ipc --die-with-parent --new-session --cap-drop ALL".split(" "),
  ..."--ro-bind / / --dev /dev --proc /proc".split(" "),
  ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
];

/** Git does without the locks it only takes to be faster next time, and temporary files go where they can. */
const VARIABLES = { GIT_OPTIONAL_LOCKS: "0", TMPDIR: "/tmp" };

const byDepth = (paths: readonly string[]): readonly string[] =>
  paths.toSorted((one, other) => one.split("/").length - other.split("/").length);
