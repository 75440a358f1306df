const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes a file name, which is bytes. Valid UTF-8 becomes text. In any other name, each byte from 0x80 becomes the
 * lone surrogate U+DC00 + byte: JSON preserves it, and `encodePath` restores the byte.
 */
export function decodePath(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
  }
}

export function encodePath(path: string): Buffer {
  if (!/[\udc80-\udcff]/.test(path)) return Buffer.from(path, "utf8");
  const isEscaped = Array.from(path).some((sign) => sign.length === 1 && sign >= "\udc80" && sign <= "\udcff");
  if (!isEscaped) return Buffer.from(path, "utf8"); // second half of a surrogate pair
  return Buffer.concat(
    Array.from(path, (sign) => {
      const code = sign.charCodeAt(0);
      return sign.length === 1 && code >= 0xdc80 && code <= 0xdcff
        ? Buffer.from([code - 0xdc00])
        : Buffer.from(sign, "utf8");
    }),
  );
}

/** Returns the path of a file in the working tree. */
export const inTree = (top: string, path: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), typeof path === "string" ? encodePath(path) : path]);

/** A path as bytes in latin1, for the many paths that are never shown. */
export type RawPath = string;

/** Like `inTree`, for a raw path. ASCII paths are returned as text, which is much faster. */
export const rawInTree = (top: string, path: RawPath): string | Buffer =>
  NOT_ASCII.test(path) ? inTree(top, Buffer.from(path, "latin1")) : `${top}/${path}`;

const NOT_ASCII = /[\u0080-\u00ff]/;

/** Splits `-z` output into fields. */
export function splitFields(output: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    fields.push(output.subarray(start, end));
    start = end + 1;
  }
  if (start < output.length) fields.push(output.subarray(start));
  return fields;
}

/** Builds the input for `-z --stdin`. */
export function joinFields(paths: readonly string[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from([0])]));
}

/** Returns true for the folder itself and everything under it. */
export function isUnder(path: string, folder: string): boolean {
  const prefix = folder.replace(/\/+$/, "");
  return path === prefix || path.startsWith(`${prefix}/`);
}

/**
 * Returns true for a path in git's form: relative, without NUL, and without empty, `.`, `..` or (in any case) `.git`
 * parts.
 */
export function isTreePath(path: string): boolean {
  if (path === "" || path.includes("\0")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/^\.git$/i.test(part));
}
