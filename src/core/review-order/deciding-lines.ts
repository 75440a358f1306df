const COMMENT = /^\s*(?:\/\/|#(?!\[)|\*|\/\*|--|<!--|;)/;
const STRING = /(["'`])(?:\\.|(?!\1)[^\\])*\1/g;
const KEYWORD =
  /\b(?:if|elif|elsif|else if|unless|for|foreach|while|until|loop|match|case|when|switch|select|catch|except|rescue|guard|assert|throw|raise|panic!?|and|or)\b/;
const OPERATOR = /&&|\|\||\?\?|[=!]==?(?!>)|(?<![-=<])>=|<=(?!>)|\s[<>]\s|\s\?\s.*\s:\s|\?\.|\)\?[;.)]/;

/** Returns true if a line of code decides something: a condition, a loop, a comparison, a handler. */
export function isDecidingLine(line: string): boolean {
  if (COMMENT.test(line)) return false;
  const code = line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line;
  const plain = code.replaceAll(STRING, '""').replace(/\s(?:\/\/|#\s).*$/, "");
  return KEYWORD.test(plain) || OPERATOR.test(plain);
}

/** A longer line is data or generated: its start is enough. */
const MAX_LINE_CHARS = 400;
