const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * File names are bytes. Valid UTF-8 becomes the text it is; in any other name each byte from 0x80 becomes the lone
 * surrogate U+DC00 + byte, which JSON carries unchanged and `encodePath` turns back into the same byte.
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
  if (!isEscaped) return Buffer.from(path, "utf8"); // the second half of an ordinary pair
  return Buffer.concat(
    Array.from(path, (sign) => {
      const code = sign.charCodeAt(0);
      return sign.length === 1 && code >= 0xdc80 && code <= 0xdcff
        ? Buffer.from([code - 0xdc00])
        : Buffer.from(sign, "utf8");
    }),
  );
}

/** Where a file of the tree is. */
export const inTree = (top: string, path: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), typeof path === "string" ? encodePath(path) : path]);

/** A path as bytes in latin1: for the many that are never shown, and of which nothing else is needed. */
export type RawPath = string;

/** The same for a path as bytes: as text where that names the same bytes, which is far quicker. */
export const rawInTree = (top: string, path: RawPath): string | Buffer =>
  NOT_ASCII.test(path) ? inTree(top, Buffer.from(path, "latin1")) : `${top}/${path}`;

const NOT_ASCII = /[\u0080-\u00ff]/;

/** The fields of `-z` output. */
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

/** Input for `-z --stdin`. */
export function joinFields(paths: readonly string[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from([0])]));
}

/** True for the folder itself and for everything below it. */
export function isUnder(path: string, folder: string): boolean {
  const prefix = folder.replace(/\/+$/, "");
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** A path of the tree as git names it: relative, no way up, nothing of git's own. */
export function isTreePath(path: string): boolean {
  if (path === "" || path.includes("\0")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/^\.git$/i.test(part));
}
