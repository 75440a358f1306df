/** Content of a pipeline file. All scalars are texts. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };

type Line = { readonly number: number; readonly indent: number; readonly text: string };
type Reader = { readonly lines: readonly Line[]; at: number };

/**
 * Reads the subset of YAML in our pipeline files: mappings, lists, texts with and without quotes, block texts (`|`) and
 * lists in brackets.
 * @throws Error for everything else
 */
export function readYaml(text: string): Yaml {
  const lines = text.split("\n").map((line, index) => {
    const indent = line.length - line.trimStart().length;
    return { number: index + 1, indent, text: line.trimStart() };
  });
  const reader = { lines, at: 0 };
  const value = readBlock(reader, 0);
  const rest = nextLine(reader);
  if (rest !== undefined) throw unexpected(rest);
  return value;
}

const unexpected = ({ number, text }: Line): Error => new Error(`line ${number} is no YAML known here: ${text}`);

/** Skips empty lines and comments. */
function nextLine(reader: Reader): Line | undefined {
  for (; ; reader.at++) {
    const line = reader.lines[reader.at];
    if (line === undefined || (line.text !== "" && !line.text.startsWith("#"))) return line;
  }
}

function readBlock(reader: Reader, indent: number): Yaml {
  const first = nextLine(reader);
  if (first?.indent !== indent) return "";
  return first.text.startsWith("- ") ? readList(reader, indent) : readMapping(reader, indent);
}

function readList(reader: Reader, indent: number): Yaml[] {
  const items: Yaml[] = [];
  for (let line = nextLine(reader); line?.indent === indent; line = nextLine(reader)) {
    if (!line.text.startsWith("- ")) throw unexpected(line);
    const text = line.text.slice(2);
    if (KEY.test(text)) {
      const lines = reader.lines.with(reader.at, { ...line, indent: indent + 2, text });
      const inner = { lines, at: reader.at };
      items.push(readMapping(inner, indent + 2));
      reader.at = inner.at;
    } else {
      items.push(readScalar(line, text));
      reader.at++;
    }
  }
  return items;
}

const KEY = /^([\w.:-]*[\w-]):(?: (.*))?$/;

function readMapping(reader: Reader, indent: number): Record<string, Yaml> {
  const mapping: Record<string, Yaml> = {};
  for (let line = nextLine(reader); line?.indent === indent; line = nextLine(reader)) {
    const [, key = "", text = ""] = KEY.exec(line.text) ?? [];
    if (key === "" || key in mapping) throw unexpected(line);
    reader.at++;
    if (text === "|") mapping[key] = readText(reader, indent + 2);
    else if (text !== "") mapping[key] = readScalar(line, text);
    else mapping[key] = readBlock(reader, indent + 2);
  }
  return mapping;
}

function readText(reader: Reader, indent: number): string {
  const lines: string[] = [];
  for (let line = reader.lines[reader.at]; line !== undefined; line = reader.lines[++reader.at]) {
    if (line.text !== "" && line.indent < indent) break;
    lines.push(line.text === "" ? "" : " ".repeat(line.indent - indent) + line.text);
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

/** A text in quotes has no escapes. One without has no character that YAML reads in another way. */
function readScalar(line: Line, text: string): Yaml {
  const quoted = /^"([^"\\]*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  const list = /^\[([\w, -]*)\]$/.exec(text)?.[1];
  if (list !== undefined) return list.split(",").map((item) => item.trim());
  if (/^[[\]{}"'&*!|>%@`]|: | #|:$/.test(text)) throw unexpected(line);
  return text;
}
