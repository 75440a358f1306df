import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, readImports, sourceFiles } from "./support/source-imports.ts";

const SRC = join(import.meta.dirname, "../src");
const imports = sourceFiles(SRC).flatMap((file) => readImports(file, readFileSync(join(SRC, file), "utf8")));

describe("folders", () => {
  /** Folders imported by each folder. Code loaded later by `import()` or as a bundle does not count. */
  function folderImports(found: readonly Import[]): Map<string, Set<string>> {
    const targets = new Map<string, Set<string>>();
    for (const { file, specifier, to } of found) {
      if (!specifier.startsWith(".") || to === "outside") continue;
      const [from, target] = [dirname(file), dirname(join(dirname(file), specifier))];
      if (from !== target) targets.set(from, (targets.get(from) ?? new Set()).add(target));
    }
    return targets;
  }

  /** Folders that import themselves through others. */
  function rings(targets: ReadonlyMap<string, ReadonlySet<string>>): string[] {
    return [...targets.keys()].filter((start) => {
      const reached = new Set<string>();
      const open = [...(targets.get(start) ?? [])];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (reached.has(next)) continue;
        reached.add(next);
        open.push(...(targets.get(next) ?? []));
      }
      return reached.has(start);
    });
  }

  test("form no rings, by types neither", () => {
    const targets = folderImports(imports);
    expect(targets.size).toBeGreaterThan(30);
    expect(rings(targets)).toEqual([]);
  });

  test("form a ring if a step imports the loop", () => {
    const planted = readImports("engine/steps/planted.ts", 'import type { Task } from "../loop/perform.ts";');
    expect(rings(folderImports([...imports, ...planted]))).toContain("engine/loop");
  });
});
