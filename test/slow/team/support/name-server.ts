import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { afterAll } from "vitest";

const TYPES = { A: 1, AAAA: 28 } as const;

/** Addresses by name. Queries for other names are never answered. */
export type Zone = Readonly<Record<string, readonly string[]>>;

/** A resolver that asks a test name server over the network. */
export async function resolverFor(zone: Zone): Promise<Resolver> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const found = zone[name];
    if (found === undefined) return;
    const fitting = found.filter((one) => one.includes(":") === (type === TYPES.AAAA));
    socket.send(
      Buffer.concat([createHeader(query, fitting.length), query.subarray(12, end), ...fitting.map(createAnswer)]),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  afterAll(() => void socket.close());
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return resolver;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function createHeader(query: Buffer, answers: number): Buffer {
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x81_80, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers, 6);
  return head;
}

function createAnswer(address: string): Buffer {
  const isV6 = address.includes(":");
  const data = isV6 ? v6Bytes(address) : Buffer.from(address.split(".").map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc0_0c, 0);
  head.writeUInt16BE(isV6 ? TYPES.AAAA : TYPES.A, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Bytes of a full or shortened address. */
function v6Bytes(address: string): Buffer {
  const [before = [], after = []] = address.split("::").map((half) => half.split(":").filter((part) => part !== ""));
  const gap = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const bytes = Buffer.alloc(16);
  for (const [index, part] of [...before, ...gap, ...after].entries())
    bytes.writeUInt16BE(Number.parseInt(part, 16), index * 2);
  return bytes;
}
