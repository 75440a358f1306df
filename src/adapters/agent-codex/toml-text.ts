/** A text of JSON is one of TOML too, but for the one control character that JSON leaves as it is. */
export const tomlText = (text: string): string => JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
