/** Content of a sandbox. All paths are absolute. Later groups override earlier ones. */
export type SandboxPlan = {
  /** Empty and writable, discarded at the end. */
  readonly hidden: readonly string[];
  /** Read-only again under hidden paths. */
  readonly shown: readonly Bound[];
  /** Empty, writable and discarded, under shown paths. */
  readonly emptied: readonly string[];
  readonly writable: readonly Bound[];
  /** Read-only under writable paths. */
  readonly locked: readonly Bound[];
  /** Writable under locked paths. */
  readonly reopened: readonly string[];
  /** Empty and read-only, regardless of all earlier groups. */
  readonly masked: readonly string[];
  readonly cwd: string;
  /** Uses a separate network without any connection. */
  readonly offline?: boolean;
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** Binds the outside path `from` to the inside path `at`. */
export type Bound = { readonly from: string; readonly at: string };

/** Returns the arguments of bubblewrap before the program. */
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
    ...Object.entries({ ...VARIABLES, ...plan.variables }).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    plan.cwd,
    "--",
    ...FIRST_PROCESS,
  ];
}

/**
 * First process of the sandbox. When this shell ends, the kernel has ended all other processes, and bubblewrap waits
 * for exactly that. Bubblewrap's own first process would report the program's end before its own: leftover processes
 * could continue for some milliseconds. Messages of the shell about signals are hidden, because they are not from the
 * program.
 */
const FIRST_PROCESS = ["/bin/sh", "-c", 'exec 3>&2 2>/dev/null; "$0" "$@" 2>&3 3>&-; exit'];

/** Files with kernel settings. Root owns them and could write them even without capabilities. */
const KERNEL = [
  ..."/proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/driver".split(" "),
  ..."/proc/mtrr /proc/pressure /proc/acpi /proc/scsi /proc/latency_stats".split(" "),
];

/**
 * Read-only file system, with separate processes, message queues, devices and session. The network stays, because
 * agents need their service. Dropping capabilities matters for root only: root could mount everything again.
 */
export const BASE: readonly string[] = [
  ..."--unshare-pid --as-pid-1 --unshare-ipc --die-with-parent --new-session --cap-drop ALL".split(" "),
  ..."--ro-bind / / --dev /dev --proc /proc".split(" "),
  ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
];

/** Disables git's optional locks, which only speed up later calls, and puts temporary files in a writable folder. */
const VARIABLES = { GIT_OPTIONAL_LOCKS: "0", TMPDIR: "/tmp" };

const byDepth = (paths: readonly string[]): readonly string[] =>
  paths.toSorted((one, other) => one.split("/").length - other.split("/").length);
