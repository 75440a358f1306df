/** The most bytes that a journal is unpacked to: a small file must not fill the memory. */
export const ARCHIVE_LIMIT = 64 * 1024 * 1024;

/** Loaded when it is needed: most commands never meet a packed journal, and each of them would start later. */
const zlib = () => process.getBuiltinModule("node:zlib");

export const packed = (bytes: Uint8Array): Buffer => zlib().gzipSync(bytes);

/** Null for what is not packed by us, is cut off, or would become too large. */
export function unpacked(bytes: Uint8Array): Buffer | null {
  try {
    return zlib().gunzipSync(bytes, { maxOutputLength: ARCHIVE_LIMIT });
  } catch {
    return null;
  }
}
