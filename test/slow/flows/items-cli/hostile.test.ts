import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createItemRecords } from "../../../../src/adapters/project-files/create-item-records.ts";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import { fingerprint, prepareItem, turns } from "../../../items-cli/prepared-item.ts";

const ATTACKS = (marker: string): readonly string[] => [
  `"; touch ${marker}; "`,
  `$(touch ${marker})`,
  `\`touch ${marker}\``,
  `| touch ${marker}`,
  "../../../escaped",
  "/etc/escaped",
  "--upload-pack=touch",
  "a\nb\r\n- [x] 9.9 forged",
  "\u001b[31mred\u001b[0m",
  "__proto__",
  "x".repeat(3000),
  "名前\u202Egnp.exe",
];

/** All folders and files outside the working tree; none may be added. */
const outside = (sandbox: Sandbox): string[] =>
  readdirSync(sandbox.base, { recursive: true, encoding: "utf8" })
    .filter((path) => !/^(?:tree|state|tmp|agent)/.test(path))
    .sort();

test.concurrent("turns hostile titles into plain items without side effects", async () => {
  const sandbox = await createSandbox();
  const marker = join(sandbox.base, "ran");
  const before = outside(sandbox);
  for (const title of ATTACKS(marker)) {
    const added = await sandbox.script("add", "--json", "--", title);
    expect([title, added.code]).toEqual([title, 0]);
    const { item } = parsed(added);
    expect(item).toMatch(/^docs\/requirements\/[a-z0-9-]{1,50}$/);
    expect(sandbox.json(`${item}/meta.json`).description).not.toMatch(/[\p{Cc}\u202e]/u);
  }
  const backlog = sandbox
    .read("BACKLOG.md")
    .split("\n")
    .filter((line) => line.startsWith("- "));
  expect(backlog).toHaveLength(new Set(readdirSync(join(sandbox.root, "docs/requirements"))).size);
  expect(backlog.filter((line) => line.includes("[x]") && !line.includes("[ ]"))).toEqual([]);
  const shown = await sandbox.script("items");
  for (const line of shown.stdout.split("\n")) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(existsSync(marker)).toBe(false);
  expect(outside(sandbox)).toEqual(before);
});

test.concurrent("finds no item for a hostile reference and touches nothing", async () => {
  const sandbox = await createSandbox();
  const marker = join(sandbox.base, "ran");
  prepareItem(sandbox);
  writeFileSync(
    join(sandbox.base, "meta.json"),
    '{"phases_completed":["00-quick-scan"],"description":"secret of the neighbour"}',
  );
  for (const wanted of ["..", "../..", "../../..", "docs/requirements/../../..", `$(touch ${marker})`, "login/../.."]) {
    const asked = await sandbox.script("build", "--agent-command", "/nonexistent/agent", "--", wanted);
    expect([wanted, asked.code]).toEqual([wanted, 1]);
    expect(asked.stdout + asked.stderr).not.toContain("secret of the neighbour");
  }
  expect(existsSync(marker)).toBe(false);
});

test.concurrent("prints a hostile codebase_hash as text and never passes it to git as an option", async () => {
  const sandbox = await createSandbox();
  const marker = join(sandbox.base, "ran");
  for (const hash of [...ATTACKS(marker), `--output=${marker}`, `HEAD --output=${marker}`, "HEAD", ":/", "@{-1}"]) {
    const item = prepareItem(sandbox, { hash });
    const before = fingerprint(sandbox, item);
    const asked = await sandbox.script("build", "login", "--json", ...sandbox.agent);
    const { kind, about } = parsed(asked).choice;
    expect([hash, asked.code, kind]).toEqual([hash, 3, "stale"]);
    for (const line of about) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
    const listed = parsed(await sandbox.script("items", "--json"));
    expect(listed.items).toMatchObject([{ slug: "login", isStale: null }]);
    expect(fingerprint(sandbox, item)).toBe(before);
  }
  expect(existsSync(marker)).toBe(false);
});

test.concurrent("resolves no folder outside the project from a hostile backlog line", async () => {
  const sandbox = await createSandbox();
  const marker = join(sandbox.base, "ran");
  sandbox.plan({ turns });
  sandbox.write(
    "BACKLOG.md",
    `# Backlog\n\n## Open\n\n- 1.1 [ ] Escape -> [requirements](docs/requirements/../../../outside/)\n- 1.2 [ ] $(touch ${marker})\n`,
  );
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "Backlog");
  const before = outside(sandbox);
  for (const number of ["1.1", "1.2"]) {
    await sandbox.script("build", number, "--supervised", ...sandbox.agent);
    expect((await sandbox.status()).item).toMatch(/^docs\/requirements\/[A-Za-z0-9-]+$/);
    await sandbox.person("cancel", "--reason", "seen");
    sandbox.git("switch", "--quiet", "--force", "main");
  }
  expect(existsSync(marker)).toBe(false);
  expect(outside(sandbox)).toEqual(before);
});

describe.concurrent("symbolic links", () => {
  const linked = async (path: string): Promise<{ sandbox: Sandbox; elsewhere: string }> => {
    const sandbox = await createSandbox();
    const elsewhere = join(sandbox.base, "elsewhere");
    mkdirSync(join(elsewhere, "requirements/login"), { recursive: true });
    mkdirSync(join(elsewhere, "login"));
    for (const folder of ["requirements/login", "login", "."])
      writeFileSync(
        join(elsewhere, folder, "meta.json"),
        '{"description":"secret","phases_completed":["00-quick-scan"]}',
      );
    mkdirSync(join(sandbox.root, path, ".."), { recursive: true });
    symlinkSync(elsewhere, join(sandbox.root, path));
    return { sandbox, elsewhere };
  };
  const contents = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}: ${readFileSync(path, "utf8")}` : path;
    });

  test.for([["docs"], ["docs/requirements"]])(
    "rejects %s in every item command without following it",
    async ([path = ""]) => {
      const { sandbox, elsewhere } = await linked(path);
      const before = contents(elsewhere);
      for (const [verb, ...words] of [["items"], ["add", "New item"], ["build", "login"], ["analyze", "login"]]) {
        const more = verb === "build" || verb === "analyze" ? ["--yes", ...sandbox.agent] : [];
        const refused = await sandbox.script(verb ?? "", ...words, "--json", ...more);
        expect([verb, refused.code, parsed(refused).problem?.code]).toEqual([verb, 1, "UNSAFE_PATH"]);
        expect(refused.stdout + refused.stderr).not.toContain("secret");
      }
      expect(contents(elsewhere)).toEqual(before);
    },
  );

  test("ignores a linked item folder in the list and refuses to add to it", async () => {
    const { sandbox, elsewhere } = await linked("docs/requirements/login");
    const before = contents(elsewhere);
    expect(parsed(await sandbox.script("items", "--json")).items).toEqual([]);
    expect(parsed(await sandbox.script("add", "Login", "--json")).problem.code).toBe("UNSAFE_PATH");
    expect(contents(elsewhere)).toEqual(before);
  });

  test("writes no record of an open run through a linked or escaping path", async () => {
    const { sandbox, elsewhere } = await linked("docs");
    const before = contents(elsewhere);
    const warnings: string[] = [];
    const records = createItemRecords(sandbox.root, sandbox.state, (warning) => warnings.push(warning));
    records.merge("docs/requirements/login", { workflow_type: "feature" });
    records.merge("docs/../elsewhere/login", { workflow_type: "feature" });
    expect(warnings).toEqual([expect.stringContaining("it is a link"), expect.stringContaining("not a plain path")]);
    expect(contents(elsewhere)).toEqual(before);
  });

  test("leaves a linked BACKLOG.md unchanged and warns", async () => {
    const sandbox = await createSandbox();
    const target = join(sandbox.base, "target.md");
    writeFileSync(target, "# Backlog\n");
    symlinkSync(target, join(sandbox.root, "BACKLOG.md"));
    const added = await sandbox.script("add", "Login");
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("warning: BACKLOG.md") });
    expect(readFileSync(target, "utf8")).toBe("# Backlog\n");
  });
});
