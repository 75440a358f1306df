import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { ProcessIdentity } from "../../schema/facts.ts";
import { discardFile, nodeFiles, readSmall } from "../files/file-system.ts";
import { type ProcessFacts, type ProcessTable, systemProcessTable } from "../process/process-table.ts";
import { type SocketTable, systemSocketTable } from "./socket-table.ts";

/** Proof that all input of this server was written by the main process of an agent product, or the reason why not. */
export type HostChannel =
  | { readonly ok: true; readonly host: ProcessIdentity }
  | { readonly ok: false; readonly why: string };

export type ChannelContext = {
  readonly table: ProcessTable;
  readonly sockets: SocketTable;
  /** Process id of this server. */
  readonly pid: number;
  /** Finds a host registered by the session-start hook. Null if the process is not registered. */
  readonly registered: (pid: number) => RegisteredHost | null;
};

/** Start time and program file, as recorded by the session-start hook. */
export type RegisteredHost = { readonly started: string; readonly executable: string };

/**
 * Proves that a typed command comes from the host itself: the parent of this server is the registered main process of
 * the product, only it holds the other end of this server's standard input, and no older server of it is alive. A pipe
 * proves nothing: every program of the same user can open it under `/proc/<host>/fd`, but no program can open a socket
 * there.
 */
export function proveHostChannel(context: ChannelContext): HostChannel {
  const { table, sockets, pid } = context;
  if (!sockets.canTellPeers())
    return notProven("this machine cannot show who wrote the command (it takes Linux with the ss program of iproute2)");
  const self = table.one(pid);
  const host = self === null ? null : table.one(self.parent);
  if (self === null || host === null || host.pid <= 1) return notProven("the process that started it has ended");
  const why = refuseHost(context, host) ?? refuseInput(context, host) ?? refuseSecondServer(context, self);
  if (why !== null) return notProven(why);
  return { ok: true, host: { pid: host.pid, started: host.started, boot: table.boot() } };
}

const notProven = (why: string): HostChannel => ({ ok: false, why });

/** Program files of products whose main process runs no foreign code and opens no debugger on a signal. */
const PROVABLE_HOSTS = /(?:^|\/)claude(?:\.exe)?$|\/claude\/versions\/[0-9][0-9.]*$/;

function refuseHost({ sockets, registered }: ChannelContext, host: ProcessFacts): string | null {
  const executable = programFile(sockets.executable(host.pid));
  if (executable === null || !PROVABLE_HOSTS.test(executable)) {
    const name = executable === null ? "an unknown program" : basename(executable);
    return `it was started by ${name}, not by the main process of an agent product that can be checked`;
  }
  const known = registered(host.pid);
  if (known === null) return `process ${host.pid} was not registered by the session-start hook`;
  const isSame = known.started === host.started && programFile(known.executable) === executable;
  return isSame ? null : `process ${host.pid} is not the one that the session-start hook registered`;
}

/** Removes the mark that Linux adds if a product replaces its running program file. */
const programFile = (file: string | null): string | null => file?.replace(/ \(deleted\)$/, "") ?? null;

/** The host forks for every tool, and a child briefly holds all of its sockets. */
const MAX_HOLDER_CHECKS = 5;

function refuseInput({ sockets, pid }: ChannelContext, host: ProcessFacts): string | null {
  const inode = /^socket:\[([0-9]+)\]$/.exec(sockets.openFile(pid, 0) ?? "")?.[1];
  if (inode === undefined) return "its input is not a socket, so other programs could have written to it";
  const peer = sockets.peerOfPair(inode);
  if (peer === null) return "its input is not a private socket pair, so other programs could have written to it";
  for (let check = 1; check <= MAX_HOLDER_CHECKS; check++)
    if (isOnly(sockets.holders(peer), host.pid) && isOnly(sockets.holders(inode), pid)) return null;
  return `process ${host.pid} is not the only one that holds the other end of its input`;
}

const isOnly = (holders: readonly number[], pid: number): boolean => holders.length === 1 && holders[0] === pid;

/** A session has one server. An older server of the same host is the real one while it is alive. */
function refuseSecondServer({ table }: ChannelContext, self: ProcessFacts): string | null {
  const servers = table.all().filter((facts) => facts.parent === self.parent && isServer(table.command(facts.pid)));
  const older = servers.find((facts) => facts.pid !== self.pid && table.isOlder(facts, self.started));
  return older === undefined ? null : `process ${older.pid} is already the server of this session`;
}

const isServer = (command: readonly string[] | null): boolean =>
  command !== null && command.some((word) => /^isdlc(?:\.cjs)?$/.test(basename(word))) && command.includes("mcp");

export const HOSTS_FOLDER = "hosts";
const MAX_RECORD_BYTES = 8192;

/** Returns the proof for this process. `stateFolder` is the user's, written by the session-start hook. */
export function proveSystemChannel(stateFolder: string): HostChannel {
  const table = systemProcessTable();
  const folder = join(stateFolder, HOSTS_FOLDER);
  discardEnded(folder, table);
  return proveHostChannel({
    table,
    sockets: systemSocketTable(),
    pid: process.pid,
    registered: (pid) => parseHost(readRecord(join(folder, String(pid)))),
  });
}

/** Parses a record. First line: the program file. Second line: the host's `/proc/<pid>/stat`. */
export function parseHost(text: string | null): RegisteredHost | null {
  const [executable = "", stat = ""] = (text ?? "").split("\n");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return executable === "" || started === undefined ? null : { executable, started };
}

function readRecord(file: string): string | null {
  try {
    return readSmall(nodeFiles, file, MAX_RECORD_BYTES)?.toString("utf8") ?? null;
  } catch {
    return null; // a link, a folder or too long: not a record of the hook
  }
}

function discardEnded(folder: string, table: ProcessTable): void {
  try {
    for (const name of readdirSync(folder))
      if (table.one(Number(name)) === null) discardFile(nodeFiles, join(folder, name));
  } catch {
    return; // no host was ever registered
  }
}
