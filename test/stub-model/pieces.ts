/** Characters of text or JSON per streamed piece: small, so that pieces split words and escapes. */
const PIECE = 24;

/** A text in the parts in which it is streamed; none for an empty one. */
export function pieces(text: string): string[] {
  const count = Math.ceil(text.length / PIECE);
  return Array.from({ length: count }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE));
}
