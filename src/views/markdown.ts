import { plainLine, plainText } from "./plain-text.ts";

/** One line of foreign text in Markdown: no HTML, link, image, table or escape can come out of it. */
export function markdownText(text: string): string {
  return plainLine(text).replaceAll(/[\\<>[\]|`*_]/g, String.raw`\$&`);
}

/** A table cell or list entry that is a path: letters, digits and the usual marks stay readable. */
export function markdownPath(path: string): string {
  return plainLine(path).replaceAll(/[\\<>[\]|`*]/g, String.raw`\$&`);
}

/** A link to a file of the working tree, from a folder `depth` levels below its root; null for what is no plain relative path. */
export function fileLink(path: string, depth: number): string | null {
  if (plainText(path) !== path) return null; // what is shown would not be where it leads
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
    return null; // half a surrogate pair
  }
}
