export { jsonText, plainLine, plainText, terminalText } from "../core/plain-text.ts";
