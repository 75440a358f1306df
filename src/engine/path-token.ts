/** Escapes a path to a single ASCII token, to prevent prompt injection through file names. */
export const pathToken = (path: string): string => JSON.stringify(path).replaceAll(/[^\x20-\x7e]/g, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
