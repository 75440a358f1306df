import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { folderOf, type Import, readImports, sourceFiles, withoutComments } from "./support/source-imports.ts";

const ROOT = join(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

/** Allowed imports by folder. A folder that is not listed fails the test; `outside` is our own data next to src. */
const mayImport: { readonly [folder: string]: readonly string[] } = {
  schema: ["zod/mini"],
  core: ["schema"],
  views: ["schema", "core"],
  ports: ["schema", "core"],
  engine: ["schema", "core", "views", "ports"],
  adapters: [
    "schema",
    "core",
    "ports",
    "node:",
    "zod/mini",
    "nanotar",
    "outside",
    "jsonc-parser",
    "smol-toml",
    "@simplewebauthn/server",
  ],
  app: ["schema", "core", "views", "ports", "engine"],
  compose: ["schema", "core", "views", "ports", "engine", "app", "adapters", "node:", "zod/mini", "outside"],
  surfaces: [
    "app",
    "compose",
    "schema",
    "core",
    "views",
    "ports",
    "engine",
    "adapters",
    "node:",
    "zod/mini",
    "zod/v4/core",
    "outside",
    "@clack/prompts",
    "@modelcontextprotocol/sdk/server/index.js",
    "@modelcontextprotocol/sdk/server/stdio.js",
    "@modelcontextprotocol/sdk/types.js",
    "picocolors",
    "hono",
    "hono/body-limit",
    "hono/compress",
    "hono/http-exception",
    "@hono/node-server",
  ],
  library: ["schema", "core", "views", "ports", "adapters", "node:"],
  index: ["schema", "core", "views", "ports", "adapters", "library"],
};

/** Allowed imports between adapters: all sharing uses these few edges. */
const adapterMayImport: { readonly [adapter: string]: readonly string[] } = {
  agents: ["files", "identity", "process"],
  attestation: ["files", "git", "identity", "journal"],
  checks: ["files", "process", "sandbox"],
  git: ["files", "journal", "process"],
  identity: ["files", "process"],
  journal: ["files", "process"],
  process: ["files"],
  "project-files": ["files", "git", "journal"],
  remote: ["files", "journal"],
  sandbox: ["agents", "files", "git", "process"],
};

const files = sourceFiles(SRC);
const imports = files.flatMap((file) => readImports(file, readFileSync(join(SRC, file), "utf8")));
const outward = (found: readonly Import[]): readonly Import[] =>
  found.filter(({ from, to }) => from !== to && mayImport[from]?.includes(to) !== true);

describe("architecture test", () => {
  test("lists every folder and file of src", () => {
    const folders = readdirSync(SRC).map((entry) => basename(entry, ".ts"));
    expect(new Set(files.map(folderOf))).toEqual(new Set(folders));
    expect(new Set(folders)).toEqual(new Set(Object.keys(mayImport)));
  });

  test("finds the existing imports", () => {
    expect(imports.length).toBeGreaterThan(60);
    expect(imports).toContainEqual({
      file: "core/decide/decide.ts",
      specifier: "./person.ts",
      from: "core",
      to: "core",
    });
    expect(imports).toContainEqual({
      file: "core/evolve/evolve.ts",
      specifier: "../../schema/event.ts",
      from: "core",
      to: "schema",
    });
    expect(imports).toContainEqual({ file: "schema/plan.ts", specifier: "zod/mini", from: "schema", to: "zod/mini" });
    const silent = files.filter((file) => !imports.some((found) => found.file === file));
    const importing = silent.filter((file) => /^import\b/m.test(readFileSync(join(SRC, file), "utf8")));
    expect(importing).toEqual([]);
  });

  test.for<[string, string]>([
    [`import { x } from "../engine/loop.ts";`, "engine"],
    [`import type { X } from "../ports/journal.ts";`, "ports"],
    [`import "../surfaces/cli/main.ts";`, "surfaces"],
    [`export { x } from "../adapters/git/git.ts";`, "adapters"],
    [`const x = await import("../views/menu.ts");`, "views"],
    [`type X = import("../engine/loop.ts").X;`, "engine"],
    [`import {\n  a,\n  b,\n} from "node:fs/promises";`, "node:"],
    [`const fs = require("node:fs");`, "node:"],
    [`import * as z from "zod";`, "zod"],
    [`import { note } from "@clack/prompts";`, "@clack/prompts"],
    [`import data from "../../package.json" with { type: "json" };`, "outside"],
  ])("detects %j in the core", ([source, to]) => {
    expect(outward(readImports("core/planted.ts", source))).toMatchObject([{ from: "core", to }]);
  });
});

test("allows imports in the listed directions only", () => {
  expect(outward(imports)).toEqual([]);
});

describe("team package", () => {
  const TEAM = join(ROOT, "team", "src");
  const teamFiles = sourceFiles(TEAM);
  const specifiers = teamFiles.flatMap((file) => {
    const found = readImports(file, readFileSync(join(TEAM, file), "utf8"));
    return found.map(({ specifier }) => ({ file, specifier }));
  });

  test("imports src, Node and its own packages only", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "team", "package.json"), "utf8")) as {
      devDependencies: Record<string, string>;
    };
    const shared = [
      "zod/mini",
      "zod/v4/core",
      "hono",
      "hono/body-limit",
      "hono/cookie",
      "hono/http-exception",
      "hono/route",
      "@hono/node-server",
    ];
    const packages = [...shared, ...Object.keys(devDependencies)];
    const isKnown = ({ specifier }: { specifier: string }): boolean =>
      specifier.startsWith(".") || specifier.startsWith("node:") || packages.includes(specifier);
    expect(specifiers.length).toBeGreaterThan(20);
    expect(specifiers.filter((found) => !isKnown(found))).toEqual([]);
  });

  test("is not imported by src", () => {
    expect(imports.filter(({ specifier }) => /^isdlc-team|\/team\/src\//.test(specifier))).toEqual([]);
  });

  test("has files of 300 lines at most", () => {
    const lines = (file: string): number => readFileSync(join(TEAM, file), "utf8").split("\n").length - 1;
    expect(teamFiles.filter((file) => lines(file) > 300)).toEqual([]);
  });
});

test("finds exactly the listed imports between adapters", () => {
  const used = new Map<string, Set<string>>();
  for (const { file, specifier } of imports.filter(({ from, to }) => from === "adapters" && to === "adapters")) {
    const [from = "", to = ""] = [file, join(dirname(file), specifier).split(sep).join("/")].map(adapterOf);
    if (from !== to) used.set(from, (used.get(from) ?? new Set()).add(to));
  }
  const edges = Object.fromEntries([...used].map(([from, to]) => [from, [...to].sort()]));
  console.log(
    Object.entries(edges)
      .map(([from, to]) => `${from} -> ${to.join(", ")}`)
      .join("\n"),
  );
  expect(edges).toEqual(adapterMayImport);
});

describe("values passed into a layer", () => {
  test.for<[string, string, RegExp]>([
    [
      "schema, core, views, ports, engine and app",
      "(?:schema|core|views|ports|engine|app)/",
      /(?<!-)\bprocess(?:\.\w|\[)/,
    ],
    ["git adapters", "adapters/git/", /\bprocess\s*(?:\.env|\[)|\benv\s*\}\s*=\s*process\b/],
  ])("include the environment: %s", ([, folder, pattern]) => {
    const looked = files.filter((file) => new RegExp(`^${folder}`).test(file));
    expect(looked.length).toBeGreaterThan(20);
    expect(looked.filter((file) => pattern.test(withoutComments(readFileSync(join(SRC, file), "utf8"))))).toEqual([]);
    expect("const home = process.env.HOME;").toMatch(pattern);
    expect('const home = process["env"].HOME;').toMatch(pattern);
  });
});

test("defines names in .isdlc in one file only", () => {
  const naming = /["'`]\.isdlc(?:["'`]|\/[\w.$<])/;
  const found = files.filter((file) => naming.test(withoutComments(readFileSync(join(SRC, file), "utf8"))));
  expect(found).toEqual(["core/own-folder.ts"]);
  expect("join(root, `.isdlc/journal/${run}`)").toMatch(naming);
});

test("parses journal lines in the journal adapter only", () => {
  const knowing = /\.jsonl\b|journalName/;
  const found = files.filter((file) => knowing.test(withoutComments(readFileSync(join(SRC, file), "utf8"))));
  const others = new Set(["schema/export.ts", "adapters/sandbox/agent-needs.ts", "adapters/agents/codex/usage.ts"]); // Names of other files.
  expect(found.filter((file) => !file.startsWith("adapters/journal/") && !others.has(file))).toEqual([]);
  expect(found.length).toBeGreaterThan(others.size);
});

describe("source files", () => {
  const having = (broken: (source: string, file: string) => boolean): string[] =>
    files.filter((file) => broken(readFileSync(join(SRC, file), "utf8"), file));

  test("have 300 lines at most", () => {
    expect(having((source) => source.split("\n").length - 1 > 300)).toEqual([]);
  });

  test.for<[string, RegExp]>([
    ["contain no any", /(?:[:<|&,(=]|\bas|\bof|\bextends)\s*any\b(?!\s*[:(])/],
    ["contain no default export", /^export default\b/m],
    ["name their exports", /^export \*/m],
    ["contain no enum or namespace", /^(?:export )?(?:const )?(?:enum|namespace) /m],
  ])("%s", ([, pattern]) => {
    expect(having((source) => pattern.test(withoutComments(source)))).toEqual([]);
  });

  test("have names that state their purpose", () => {
    const vague = /^(?:utils?|helpers?|common|misc|types|shared)$/;
    expect(
      files.filter((file) =>
        file
          .replace(/\.ts$/, "")
          .split("/")
          .some((part) => vague.test(part)),
      ),
    ).toEqual([]);
    expect(files.filter((file) => !/^[a-z0-9-]+\.ts$/.test(basename(file)))).toEqual([]);
  });
});

const adapterOf = (file: string): string => file.split("/")[1] ?? "";
