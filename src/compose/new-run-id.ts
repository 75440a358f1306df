import type { RunId } from "../schema/ids.ts";

/** `20261115-101500123-k3f9` */
export function newRunId(now: string, randomBytes: (count: number) => Uint8Array): RunId {
  const [day = "", time = ""] = now.split("T");
  const digits = (part: string): string => part.replaceAll(/[^0-9]/g, "");
  const tail = [...randomBytes(4)].map((byte) => (byte % 36).toString(36)).join("");
  return `${digits(day)}-${digits(time).slice(0, 9)}-${tail}`;
}
