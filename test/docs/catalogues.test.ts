import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RunPredicate } from "../../src/schema/attestation.ts";
import { Channel } from "../../src/schema/people.ts";
import { Policy } from "../../src/schema/policy.ts";
import { commandsPage } from "./commands-page.ts";
import { fencesOf, namesIn, readDocument, ROOT, tableUnder } from "./markdown.ts";

describe("problems", () => {
  const source = ["src/core/problem.ts", "src/core/attestation-problem.ts", "src/core/team-problem.ts"]
    .map(readDocument)
    .join("");
  const codes = [...source.matchAll(/readonly code: "([A-Z_]+)"/g)].map(([, code]) => code ?? "");

  test("have unique codes", () => {
    expect(codes.length).toBeGreaterThan(20);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test("have a page for each code and a code for each page", () => {
    expect(namesIn("docs/problems", ".md").toSorted()).toEqual(codes.toSorted());
  });

  test("list all server-only codes on the page of SERVER_REFUSED", () => {
    const files = readdirSync(join(ROOT, "team/src"), { recursive: true, encoding: "utf8" });
    const sources = files.filter((name) => name.endsWith(".ts")).map((name) => readDocument(`team/src/${name}`));
    const made = sources.flatMap((text) => [...text.matchAll(/code: "([A-Z_]+)"/g)].map(([, code = ""]) => code));
    const own = [...new Set(made)].filter((code) => !codes.includes(code));
    const rows = tableUnder(readDocument("docs/problems/SERVER_REFUSED.md"), "code").map(([cell = ""]) => cell);
    expect(own.length).toBeGreaterThan(5);
    expect(rows.toSorted()).toEqual(own.map((code) => `\`${code}\``).toSorted());
  });

  test("explains every refusal of a command on the page of COMMAND_REFUSED", () => {
    const source = readDocument("src/core/refusal.ts");
    const reasons = [...source.matchAll(/^ {2}(\w+): \(/gm)].map(([, why = ""]) => why);
    const rows = tableUnder(readDocument("docs/problems/COMMAND_REFUSED.md"), "why");
    const explained = rows.flatMap(([cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, why = ""]) => why));
    expect(reasons.length).toBeGreaterThan(15);
    expect(explained.toSorted()).toEqual(reasons.toSorted());
  });

  test.for(namesIn("docs/problems", ".md"))("have a page titled %s with a description", (code) => {
    const [title, , ...text] = readDocument(`docs/problems/${code}.md`).split("\n");
    expect(title).toBe(`# ${code}`);
    expect(text.join(" ").length).toBeGreaterThan(80);
  });
});

describe("commands", () => {
  test("has a reference page that matches the catalog (update with: npx vitest run test/docs -u)", async () => {
    await expect(commandsPage()).toMatchFileSnapshot(join(ROOT, "docs/reference/commands.md"));
  });
});

describe("decisions", () => {
  const index = readDocument("docs/decisions/README.md");
  const records = namesIn("docs/decisions", ".md").filter((name) => name !== "README");

  test("lists every record in the index (add a row to docs/decisions/README.md)", () => {
    const rows = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\.md\) \|/gm)];
    const listed = rows.map(([, number = "", title = "", name = ""]) => `${name}: # ${number}. ${title}`);
    const titled = records.map((name) => `${name}: ${readDocument(`docs/decisions/${name}.md`).split("\n", 1)[0]}`);
    expect(records.length).toBeGreaterThan(30);
    expect(listed.toSorted()).toEqual(titled.toSorted());
  });

  test("gives each record its own number", () => {
    const numbers = records.map((name) => name.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)]);
  });

  test.for(records)("have at most 30 lines: %s", (name) => {
    expect(readDocument(`docs/decisions/${name}.md`).trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  });
});

describe("index of documents", () => {
  test("lists every document (add a line to docs/README.md)", () => {
    const index = readDocument("docs/README.md");
    const inFolder = (folder: string): string[] =>
      namesIn(`docs/${folder}`, ".md").map((name) => `${folder}${name}.md`);
    const documents = ["", "guides/", "reference/"].flatMap(inFolder).filter((path) => path !== "README.md");
    expect(documents.length).toBeGreaterThan(25);
    expect(documents.filter((path) => !index.includes(`](${path}): `))).toEqual([]);
  });
});

describe("glossary", () => {
  const rows = readDocument("docs/glossary.md")
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => tableUnder(section, "word"));
  const words = exportedWords();
  const avoided = rows.map(([word = "", , avoid = ""]) => ({ word, avoid })).filter(({ avoid }) => avoid !== "–");

  test("defines terms that the code uses", () => {
    const used = rows.filter(([word = ""]) => word.split(/, | /).some((name) => words.has(name)));
    expect(rows.length).toBeGreaterThan(60);
    expect(used.length).toBeGreaterThan(rows.length / 2);
    expect(avoided.length).toBeGreaterThan(20);
  });

  test("defines each term once", () => {
    const terms = rows.map(([word]) => word);
    expect(terms).toEqual([...new Set(terms)]);
  });

  test.for(avoided)("has no exported name with $avoid instead of $word", ({ avoid }) => {
    expect(avoid).toMatch(/^[a-z]+$/);
    expect(words.get(avoid) ?? []).toEqual([]);
  });
});

/** Words of exported names, each with the names that contain it. */
function exportedWords(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  for (const file of files) {
    const source = readFileSync(join(ROOT, "src", file), "utf8");
    const names = source.matchAll(/^export (?:async )?(?:function|const|type|interface|class) ([A-Za-z0-9_]+)/gm);
    for (const [, name = ""] of names)
      for (const word of name.split(/(?<=[a-z0-9])(?=[A-Z])|_/))
        found.set(word.toLowerCase(), [...(found.get(word.toLowerCase()) ?? []), name]);
  }
  return found;
}

describe("attestation specification", () => {
  const page = readDocument("docs/attestation.md");
  const rules = tableUnder(page, "rule");
  const named = (cell = ""): string[] => [...cell.matchAll(/`([A-Za-z]+)`/g)].map(([, name = ""]) => name);

  test("has a row for every rule of a policy", () => {
    expect(rules.flatMap(([rule]) => named(rule)).toSorted()).toEqual(Object.keys(Policy.shape).toSorted());
  });

  test("lists the channels of recorded answers", () => {
    const [, asks] = rules.find(([rule]) => rule === "`channels`") ?? [];
    expect(named(asks).toSorted()).toEqual([...Channel.options].toSorted());
  });

  test("contains a valid policy", () => {
    const examples = fencesOf(page).filter(({ language }) => language === "json");
    expect(examples).toHaveLength(1);
    expect(Policy.safeParse(JSON.parse(examples[0]?.text ?? "null")).success).toBe(true);
  });

  test("describes exactly the fields of the predicate", () => {
    const told = tableUnder(page, "field").flatMap(([cell = ""]) =>
      [...cell.matchAll(/`([A-Za-z]+)/g)].map(([, name = ""]) => name),
    );
    expect([...new Set(told)].toSorted()).toEqual(Object.keys(RunPredicate.shape).toSorted());
  });
});
