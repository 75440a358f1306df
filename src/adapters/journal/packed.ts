/** Maximum size of an unpacked journal: a small file must not fill the memory. */
export const ARCHIVE_LIMIT = 64 * 1024 * 1024;

/** Loaded on demand: most commands use no packed journal, and all of them would start later. */
const zlib = () => process.getBuiltinModule("node:zlib");

export const packed = (bytes: Uint8Array): Buffer => zlib().gzipSync(bytes);

/** Returns null if the bytes are not gzip, truncated or above the size limit. */
export function unpacked(bytes: Uint8Array): Buffer | null {
  try {
    return zlib().gunzipSync(bytes, { maxOutputLength: ARCHIVE_LIMIT });
  } catch {
    return null;
  }
}
