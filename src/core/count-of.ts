/** Formats `1 file`, `2 files`. */
export const formatCount = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;
