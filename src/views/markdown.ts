import { plainLine, plainText } from "./plain-text.ts";

/** Escapes untrusted text to one line of Markdown: it cannot form HTML, links, images, tables or escapes. */
export function markdownText(text: string): string {
  return plainLine(text).replaceAll(/[\\<>[\]|`*_]/g, String.raw`\$&`);
}

/** Escapes a path for a table cell or list entry. Letters, digits and common punctuation stay readable. */
export function markdownPath(path: string): string {
  return plainLine(path).replaceAll(/[\\<>[\]|`*]/g, String.raw`\$&`);
}

/**
 * Returns a link to a file of the working tree, from a folder `depth` levels below its root. Returns null if the path
 * is not plain and relative.
 */
export function fileLink(path: string, depth: number): string | null {
  if (plainText(path) !== path) return null; // the visible text would differ from the target
  const segments = path.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".." || segment.includes("\\"))) {
    return null;
  }
  const target = segments.map(encodeSegment);
  if (target.includes(null)) return null;
  return `[${markdownPath(path)}](${"../".repeat(depth)}${target.join("/")})`;
}

function encodeSegment(segment: string): string | null {
  try {
    return encodeURIComponent(segment).replaceAll("(", "%28").replaceAll(")", "%29");
  } catch {
    return null; // unpaired surrogate
  }
}
