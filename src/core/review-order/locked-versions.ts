import { isRecord, ownValue } from "../own-value.ts";

/** Entries of a lock file: for each dependency its versions, each with its source and checksum. */
type LockedVersions = Map<string, Map<string, string>>;

/**
 * Lists the dependencies whose version, source or checksum a lock file changed: `left-pad 1.0.0 → 1.3.0`. Null if the
 * format is unknown or either side is damaged: the file must then be opened.
 */
export function lockChanges(path: string, before: string | null, after: string | null): string[] | null {
  const read = readerFor(path);
  if (read === null) return null;
  const [old, now] = [before, after].map((text) => (text === null ? new Map() : orNull(() => read(text)))) as [
    LockedVersions | null,
    LockedVersions | null,
  ]; // one result per side
  if (old === null || now === null) return null;
  return [...new Set([...old.keys(), ...now.keys()])]
    .toSorted()
    .flatMap((name) => describeChange(name, old.get(name) ?? new Map(), now.get(name) ?? new Map()) ?? []);
}

function describeChange(name: string, old: Map<string, string>, now: Map<string, string>): string | null {
  const left = [...old.keys()].filter((version) => !now.has(version));
  const added = [...now.keys()].filter((version) => !old.has(version));
  if (added.length > 0 && old.size === 0) return `${name} ${added.join(", ")} (new)`;
  if (left.length > 0 && now.size === 0) return `${name} ${left.join(", ")} (removed)`;
  if (left.length > 0 && added.length > 0) return `${name} ${left.join(", ")} → ${added.join(", ")}`;
  if (added.length > 0) return `${name} ${added.join(", ")} (added to ${[...old.keys()].join(", ")})`;
  if (left.length > 0) return `${name} ${left.join(", ")} (removed, ${[...now.keys()].join(", ")} stays)`;
  const moved = [...now].filter(([version, source]) => old.get(version) !== source).map(([version]) => version);
  return moved.length === 0 ? null : `${name} ${moved.join(", ")}: same version, other source or checksum`;
}

type Reader = (text: string) => LockedVersions;

const READERS: readonly (readonly [names: RegExp, reader: Reader])[] = [
  [/(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/, readNpm],
  [/(?:^|\/)pnpm-lock\.yaml$/, readPnpm],
  [/(?:^|\/)yarn\.lock$/, readYarn],
  [/(?:^|\/)(?:Cargo|poetry|uv|pdm)\.lock$/, readToml],
  [/(?:^|\/)go\.sum$/, readGo],
  [/(?:^|\/)composer\.lock$/, readComposer],
];

const readerFor = (path: string): Reader | null => READERS.find(([names]) => names.test(path))?.[1] ?? null;

function orNull(read: () => LockedVersions): LockedVersions | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function add(locked: LockedVersions, name: string, { version, source }: { version: string; source: string }): void {
  const versions = locked.get(name) ?? new Map<string, string>();
  versions.set(version, `${versions.get(version) ?? ""}${source}\n`);
  locked.set(name, versions);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function readNpm(content: string): LockedVersions {
  const root: unknown = JSON.parse(content);
  const locked: LockedVersions = new Map();
  const put = (name: string, entry: unknown): void => {
    const version = text(ownValue(entry, "version")) || text(ownValue(entry, "resolved"));
    const source = ["resolved", "integrity"].map((key) => text(ownValue(entry, key))).join(" ");
    add(locked, name, { version, source });
  };
  const packages = ownValue(root, "packages");
  if (isRecord(packages)) {
    for (const [key, entry] of Object.entries(packages))
      if (key.includes("node_modules/"))
        put(key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length), entry);
    return locked;
  }
  const visit = (dependencies: unknown): void => {
    for (const [name, entry] of Object.entries(isRecord(dependencies) ? dependencies : {})) {
      put(name, entry);
      visit(ownValue(entry, "dependencies"));
    }
  };
  visit(ownValue(root, "dependencies"));
  return locked;
}

function readComposer(content: string): LockedVersions {
  const root: unknown = JSON.parse(content);
  const locked: LockedVersions = new Map();
  for (const key of ["packages", "packages-dev"]) {
    const entries = ownValue(root, key);
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
      const source = JSON.stringify([ownValue(entry, "source"), ownValue(entry, "dist")]);
      add(locked, text(ownValue(entry, "name")), { version: text(ownValue(entry, "version")), source });
    }
  }
  return locked;
}

const PNPM_ENTRY = /^ {2}['"]?\/?((?:@[^/@'"]+\/)?[^/@('":]+)[@/]([^('":]+)[^:]*['"]?:(.*)$/;

function readPnpm(content: string): LockedVersions {
  const locked: LockedVersions = new Map();
  let isListed = false;
  let entry: { readonly name: string; readonly version: string } | null = null;
  for (const line of content.split("\n")) {
    if (/^\S/.test(line)) isListed = line.startsWith("packages:");
    const [, name, version] = PNPM_ENTRY.exec(line) ?? [];
    if (!isListed) continue;
    if (name !== undefined && version !== undefined) add(locked, name, { version, source: "" });
    if (/^ {2}\S/.test(line)) entry = name !== undefined && version !== undefined ? { name, version } : null;
    if (entry !== null && /^\s+(?:resolution|integrity|tarball):/.test(line))
      add(locked, entry.name, { version: entry.version, source: line.trim() });
  }
  return locked;
}

function readYarn(content: string): LockedVersions {
  const locked: LockedVersions = new Map();
  for (const block of content.split(/\n(?=\S)/)) {
    const name = /^"?((?:@[^/@"]+\/)?[^@"\s]+)@/.exec(block)?.[1];
    const version = /^\s+version:? "?([^"\s]+)"?$/m.exec(block)?.[1];
    const source = [...block.matchAll(/^\s+(?:resolved|resolution|integrity|checksum):? .*$/gm)].map(([line]) => line);
    if (name !== undefined && version !== undefined) add(locked, name, { version, source: source.join("\n") });
  }
  return locked;
}

function readToml(content: string): LockedVersions {
  const locked: LockedVersions = new Map();
  for (const block of content.split(/^\[\[package\]\]$/m).slice(1)) {
    const [name, version] = ["name", "version"].map((key) => new RegExp(`^${key} = "([^"]*)"$`, "m").exec(block)?.[1]);
    const source = [...block.matchAll(/^(?:source|checksum|sdist) = .*$|^\s*\{.*\bhash = .*$/gm)].map(([line]) => line);
    if (name !== undefined) add(locked, name, { version: version ?? "", source: source.join("\n") });
  }
  return locked;
}

function readGo(content: string): LockedVersions {
  const locked: LockedVersions = new Map();
  for (const line of content.split("\n")) {
    const [name = "", version = "", hash = ""] = line.split(" ");
    if (hash !== "" && !version.endsWith("/go.mod")) add(locked, name, { version, source: hash });
  }
  return locked;
}
