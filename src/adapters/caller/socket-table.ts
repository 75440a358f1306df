import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { childProcess } from "../process/node-child-process.ts";

/** Open files and Unix sockets of all processes, as far as the system shows them to this user. */
export interface SocketTable {
  /** True if the system can tell which two sockets are connected. */
  canTellPeers(): boolean;
  /** What an open file of a process refers to, as the system writes it (`socket:[123]`); null if it cannot be read. */
  openFile(pid: number, descriptor: number): string | null;
  /** Program file of a process; null if it cannot be read. */
  executable(pid: number): string | null;
  /** The other end of a pair made by `socketpair`: two connected stream sockets without names. Null for any other socket. */
  peerOfPair(inode: string): string | null;
  /** Processes in which a socket is open. */
  holders(inode: string): readonly number[];
}

/** Fixed paths: a program on the `PATH` could be an agent's. */
const SS_PROGRAMS = ["/usr/bin/ss", "/usr/sbin/ss", "/bin/ss", "/sbin/ss"];

const MAX_SS_OUTPUT_BYTES = 16 * 1024 * 1024;
const SS_TIMEOUT_MS = 5000;

/** Linux: `/proc` for the open files, `ss` of iproute2 for the pairs, which `/proc` does not tell. */
export const systemSocketTable = (): SocketTable => ({
  canTellPeers: () => findSs() !== undefined,
  openFile: (pid, descriptor) => readLink(`/proc/${pid}/fd/${descriptor}`),
  executable: (pid) => readLink(`/proc/${pid}/exe`),
  peerOfPair: (inode) => findPeer(listUnixSockets(), inode),
  holders: (inode) => processNumbers().filter((pid) => holds(pid, `socket:[${inode}]`)),
});

/**
 * Reads the lines of `ss -xanH`: type, state, two queues, local name, local inode, peer name, peer inode. The name of a
 * peer stands in the peer's own line only.
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
    return ""; // no pair is found then, and the caller refuses
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
    return false; // it ended, or belongs to another user
  }
}

function readLink(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
