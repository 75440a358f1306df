/** Characters of text or JSON per streamed piece: few enough to split words and escapes. */
const PIECE = 24;

/** The pieces of a streamed text; none for an empty one. */
export function pieces(text: string): string[] {
  const count = Math.ceil(text.length / PIECE);
  return Array.from({ length: count }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE));
}
