/** One line of a `.gitattributes` file that declares files as generated or vendored, or withdraws it. */
type Rule = { readonly pattern: RegExp; readonly isSet: boolean; readonly name: string };

const DECLARATION = /^(-|!)?(linguist-generated|linguist-vendored)(?:=(true|false|1|0))?$/;

/**
 * Returns the files that the attributes declare as generated or vendored, each with the reason. `attributes`: texts of
 * `.gitattributes` by folder ("" for the root). They must be of the base: a change does not fold its own code.
 */
export function declaredFiles(
  paths: readonly string[],
  attributes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const rules = new Map([...attributes].map(([folder, text]) => [folder, readRules(text)]));
  const declared = new Map<string, string>();
  for (const path of paths) {
    const found = new Map<string, boolean>();
    for (const folder of attributeFolders(path))
      for (const { pattern, isSet, name } of rules.get(folder) ?? [])
        if (pattern.test(folder === "" ? path : path.slice(folder.length + 1))) found.set(name, isSet);
    const name = [...found].find(([, isSet]) => isSet)?.[0];
    if (name !== undefined) declared.set(path, `${name} in .gitattributes`);
  }
  return declared;
}

/** Lists the folders whose attributes apply to a file, from the root down. Later ones win. */
export function attributeFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return ["", ...parts.map((_, at) => parts.slice(0, at + 1).join("/"))];
}

function readRules(text: string): Rule[] {
  return text.split("\n").flatMap((line) => {
    const [glob = "", ...words] = line.trim().split(/\s+/);
    const pattern = glob === "" || /^[#"!]/.test(glob) || glob.startsWith("[attr]") ? null : toPattern(glob);
    if (pattern === null) return []; // quoted and negated patterns fold nothing
    return words.flatMap((word) => {
      const [, sign, name, value = "true"] = DECLARATION.exec(word) ?? [];
      return name === undefined ? [] : [{ pattern, name, isSet: sign === undefined && /^(?:true|1)$/.test(value) }];
    });
  });
}

const MAX_GLOB_CHARS = 200;

/** Translates a pattern as git reads it: without a slash it matches names in all folders. Null for other syntax. */
function toPattern(glob: string): RegExp | null {
  if (glob.length > MAX_GLOB_CHARS || /[[\]\\]/.test(glob) || glob.endsWith("/")) return null;
  const isAnchored = glob.includes("/");
  const plain = glob.replace(/^\//, "");
  const source = plain.replaceAll(/\*\*\/|\/\*\*$|\*+|\?|[.+^${}()|]/g, (part) => {
    if (part === "**/") return "(?:[^/]+/)*";
    if (part === "/**") return "/.+";
    if (part.startsWith("*")) return "[^/]*";
    return part === "?" ? "[^/]" : `\\${part}`;
  });
  return new RegExp(`${isAnchored ? "^" : "(?:^|/)"}${source}$`);
}
