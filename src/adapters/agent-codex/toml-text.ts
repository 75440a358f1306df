/** JSON strings are valid in TOML, except for the control character U+007F, which JSON does not escape. */
export const tomlText = (text: string): string => JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
