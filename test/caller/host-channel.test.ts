import { describe, expect, test } from "vitest";
import { type ChannelContext, parseHost, proveHostChannel } from "../../src/adapters/identity/host-channel.ts";
import { findPeer, type SocketTable } from "../../src/adapters/identity/socket-table.ts";
import type { ProcessFacts, ProcessTable } from "../../src/adapters/process/process-table.ts";

const HOST = 100;
const SERVER = 200;
const CLAUDE = "/home/ada/.local/share/claude/versions/2.1.327";

type Process = { readonly parent: number; readonly started: string; readonly command?: readonly string[] };

const PROCESSES: Readonly<Record<number, Process>> = {
  [HOST]: { parent: 50, started: "1000", command: ["claude"] },
  [SERVER]: { parent: HOST, started: "2000", command: ["node", "/opt/isdlc/dist/bin/isdlc.cjs", "mcp"] },
};

function tableOf(processes: Readonly<Record<number, Process>>): ProcessTable {
  const one = (pid: number): ProcessFacts | null => {
    const found = processes[pid];
    if (found === undefined) return null;
    const { parent, started } = found;
    return { pid, parent, started, group: pid, session: pid, terminal: "34816" };
  };
  return {
    boot: () => "this-boot",
    all: () => Object.keys(processes).flatMap((pid) => one(Number(pid)) ?? []),
    one,
    environment: () => null,
    command: (pid) => processes[pid]?.command ?? null,
    startedAt: () => null,
    isOlder: (facts, started) => Number(facts.started) < Number(started),
  };
}

const SOCKETS: SocketTable = {
  canTellPeers: () => true,
  openFile: (pid, descriptor) => (pid === SERVER && descriptor === 0 ? "socket:[11]" : null),
  executable: (pid) => (pid === HOST ? CLAUDE : "/usr/bin/node"),
  peerOfPair: (inode) => (inode === "11" ? "12" : null),
  holders: (inode) => (inode === "11" ? [SERVER] : [HOST]),
};

type Change = Partial<SocketTable> & {
  readonly processes?: Readonly<Record<number, Process>>;
  readonly registered?: ChannelContext["registered"];
};

function prove({ processes = {}, registered, ...sockets }: Change = {}) {
  const known = { started: "1000", executable: CLAUDE };
  return proveHostChannel({
    table: tableOf({ ...PROCESSES, ...processes }),
    sockets: { ...SOCKETS, ...sockets },
    pid: SERVER,
    registered: registered ?? ((pid) => (pid === HOST ? known : null)),
  });
}

describe("proof of the host's channel", () => {
  test.each<[string, Change]>([
    ["the registered host alone", {}],
    ["a program file replaced in the meantime", { executable: () => `${CLAUDE} (deleted)` }],
    ["an older server next to a newer one", { processes: { 201: { ...PROCESSES[SERVER]!, started: "3000" } } }],
    ["a socket held briefly by a forked child", { holders: heldAtFirst() }],
  ])("succeeds with %s", (_what, change) => {
    expect(prove(change)).toEqual({ ok: true, host: { pid: HOST, started: "1000", boot: "this-boot" } });
  });

  test.each<[string, Change, RegExp]>([
    ["a system that cannot identify peers", { canTellPeers: () => false }, /cannot show who wrote/],
    ["a parent that exited", { processes: { [SERVER]: { parent: 1, started: "2000" } } }, /has ended/],
    ["a shell as parent", { executable: () => "/usr/bin/bash" }, /started by bash, not by the main process/],
    ["an interpreter as parent", { executable: () => "/usr/bin/node" }, /started by node/],
    ["a program with a similar name", { executable: () => "/tmp/not-claude" }, /started by not-claude/],
    ["an unregistered host", { registered: () => null }, /was not registered/],
    [
      "a registration of an earlier process with this id",
      { registered: () => ({ started: "999", executable: CLAUDE }) },
      /not the one that/,
    ],
    [
      "a registration for another program",
      { registered: () => ({ started: "1000", executable: "/tmp/claude" }) },
      /not the one that/,
    ],
    ["a file as input", { openFile: () => "/tmp/rpc" }, /is not a socket/],
    ["a terminal as input", { openFile: () => "/dev/pts/3" }, /is not a socket/],
    ["a pipe as input", { openFile: () => "pipe:[11]" }, /is not a socket/],
    ["a socket outside of a private pair", { peerOfPair: () => null }, /not a private socket pair/],
    ["a different process at the other end", { holders: () => [HOST, 300] }, /not the only one/],
    [
      "a different process instead of the host",
      { holders: (inode) => (inode === "11" ? [SERVER] : [300]) },
      /not the only/,
    ],
    [
      "a different process at this end",
      { holders: (inode) => (inode === "11" ? [SERVER, 300] : [HOST]) },
      /not the only/,
    ],
    [
      "an older server that is still running",
      { processes: { 199: { ...PROCESSES[SERVER]!, started: "1500" } } },
      /process 199 is already the server/,
    ],
  ])("fails with %s", (_what, change, why) => {
    expect(prove(change)).toEqual({ ok: false, why: expect.stringMatching(why) });
  });
});

function heldAtFirst(): SocketTable["holders"] {
  let checks = 0;
  return (inode) => {
    if (inode === "11") return [SERVER];
    return checks++ === 0 ? [HOST, 300] : [HOST];
  };
}

describe("list of sockets", () => {
  const LINES = [
    "u_str ESTAB  0      0                   * 12 * 11",
    "u_str ESTAB  0      0                   * 11 * 12",
    "u_str ESTAB  0      0  /tmp/model.sock 21 * 22",
    "u_str ESTAB  0      0                   * 22 * 21",
    "u_dgr ESTAB  0      0                   * 31 * 32",
    "u_str LISTEN 0      5  /tmp/model.sock 41 * 0",
    "u_str ESTAB  0      0                   * 51 * 0",
  ].join("\n");

  test.each([
    ["11", "12"],
    ["21", null],
    ["31", null],
    ["41", null],
    ["51", null],
    ["99", null],
  ])("shows the peer of %s as %s", (inode, peer) => {
    expect(findPeer(LINES, inode)).toBe(peer);
  });

  test("excludes clients of a named socket", () => {
    expect(LINES).toContain("* 22 * 21"); // As printed by `ss`: without the name of the peer.
    expect(findPeer(LINES, "22")).toBeNull();
  });
});

describe("record of a host", () => {
  const STAT = `100 (a ) b) S 50 100 100 34816 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1000 0`;

  test("has program file and start time for any program name", () => {
    expect(parseHost(`${CLAUDE}\n${STAT}\n`)).toEqual({ executable: CLAUDE, started: "1000" });
  });

  test.each([null, "", CLAUDE, `${CLAUDE}\nx`, `\n${STAT}`])("is not read from %j", (text) => {
    expect(parseHost(text)).toBeNull();
  });
});
