import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { childProcess } from "../process/node-child-process.ts";

/** Open files and Unix sockets of all processes, as far as visible to this user. */
export interface SocketTable {
  /** True if the system shows which two sockets are connected. */
  canTellPeers(): boolean;
  /** Returns the target of an open file, as written by the system (`socket:[123]`). Null if unreadable. */
  openFile(pid: number, descriptor: number): string | null;
  /** Returns the program file of a process. Null if unreadable. */
  executable(pid: number): string | null;
  /**
   * Returns the other end of a pair made by `socketpair`: two connected stream sockets without names. Null for any
   * other socket.
   */
  peerOfPair(inode: string): string | null;
  /** Lists the processes in which a socket is open. */
  holders(inode: string): readonly number[];
}

/** Fixed paths: a program on the `PATH` could belong to an agent. */
const SS_PROGRAMS = ["/usr/bin/ss", "/usr/sbin/ss", "/bin/ss", "/sbin/ss"];

const MAX_SS_OUTPUT_BYTES = 16 * 1024 * 1024;
const SS_TIMEOUT_MS = 5000;

/** Uses `/proc` for open files and `ss` of iproute2 for pairs, which `/proc` does not show. Linux only. */
export const systemSocketTable = (): SocketTable => ({
  canTellPeers: () => findSs() !== undefined,
  openFile: (pid, descriptor) => readLink(`/proc/${pid}/fd/${descriptor}`),
  executable: (pid) => readLink(`/proc/${pid}/exe`),
  peerOfPair: (inode) => findPeer(listUnixSockets(), inode),
  holders: (inode) => processNumbers().filter((pid) => holds(pid, `socket:[${inode}]`)),
});

/**
 * Parses the lines of `ss -xanH`: type, state, two queues, local name, local inode, peer name, peer inode. The name of
 * a peer is only in the peer's own line.
 */
export function findPeer(lines: string, inode: string): string | null {
  const rows = lines.split("\n").map((line) => line.trim().split(/\s+/));
  const unnamed = rows.filter(([type, state, , , name]) => type === "u_str" && state === "ESTAB" && name === "*");
  const peer = unnamed.find(([, , , , , local]) => local === inode)?.[7];
  return unnamed.some((row) => row[5] === peer && row[7] === inode) ? (peer ?? null) : null;
}

const findSs = (): string | undefined =>
  process.platform === "linux" ? SS_PROGRAMS.find((file) => existsSync(file)) : undefined;

function listUnixSockets(): string {
  const program = findSs();
  if (program === undefined) return "";
  try {
    const options = { encoding: "utf8", env: { LC_ALL: "C" }, maxBuffer: MAX_SS_OUTPUT_BYTES } as const;
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    return childProcess().execFileSync(program, ["-xanH"], { ...options, stdio, timeout: SS_TIMEOUT_MS });
  } catch {
    return ""; // then no pair is found, and the caller refuses
  }
}

function processNumbers(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => name >= "1" && name < ":")
    .map(Number);
}

function holds(pid: number, target: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((name) => readLink(`/proc/${pid}/fd/${name}`) === target);
  } catch {
    return false; // the process exited, or belongs to another user
  }
}

function readLink(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
