import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { removeTemporary } from "../support/remove-temporary.ts";
import { builtProgram } from "../support/built-program.ts";

const ROOT = join(import.meta.dirname, "../..");
const npm = (...args: readonly string[]): string =>
  execFileSync("npm", [...args, "--ignore-scripts", "--offline"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

type Packed = { readonly filename: string; readonly files: readonly { readonly path: string }[] };
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Targets of `bin`, `types` and `exports`, at any depth. */
function targetsOf(value: unknown): string[] {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(targetsOf) : [];
}

describe.each([
  ["isdlc", ".", []],
  ["isdlc-team", "team", ["--workspace", "isdlc-team"]],
] as const)("the package %s", (_name, folder, options) => {
  test("can be published with every file that its manifest names, and no source or test", async () => {
    await builtProgram();
    const [packed] = JSON.parse(npm("pack", "--dry-run", "--json", ...options)) as Packed[];
    const files = packed?.files.map(({ path }) => path) ?? [];
    const manifest = JSON.parse(read(join(folder, "package.json"))) as Record<string, unknown>;
    const targets = targetsOf([manifest["bin"] ?? [], manifest["types"] ?? [], manifest["exports"]]);
    expect(targets.length).toBeGreaterThan(1);
    expect(targets.filter((target) => !files.includes(target))).toEqual([]);
    expect(files).toContain("README.md");
    expect(
      files.filter((path) => /^(?:src|test|scripts|node_modules|\.isdlc)\/|\.test\.ts$|\.env|\.pem$/.test(path)),
    ).toEqual([]);
  });
});

describe("a release", () => {
  test("names its repository in both packages, and has no relative link in the README", () => {
    const folder = mkdtempSync(join(tmpdir(), "isdlc-release-"));
    onTestFinished(() => removeTemporary(folder));
    mkdirSync(join(folder, "team"));
    for (const name of ["README.md", "package.json", "team/package.json"]) cpSync(join(ROOT, name), join(folder, name));
    const { version } = JSON.parse(read("package.json")) as { version: string };
    const repository = "https://git.example.org/people/isdlc";
    const prepare = (tag: string): Buffer =>
      execFileSync(process.execPath, [join(ROOT, "scripts/prepare-release.mjs"), repository, tag, folder], {
        stdio: "pipe",
      });
    expect(() => prepare("v99.0.0")).toThrow(/has version/);
    prepare(`v${version}`);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter((target) => !/^https:|^#/.test(target))).toEqual([]);
    expect(readme).toContain(`${repository}/raw/v${version}/docs/images/`);
    for (const name of ["package.json", "team/package.json"])
      expect(JSON.parse(readFileSync(join(folder, name), "utf8"))).toMatchObject({
        repository: { url: `git+${repository}.git` },
      });
  });

  test("runs only scripts that exist, and signs the provenance of both packages", () => {
    const workflow = read(".github/workflows/release.yml");
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    for (const [, script = ""] of workflow.matchAll(/npm run ([\w:]+)/g))
      expect(Object.keys(scripts)).toContain(script);
    for (const [, file = ""] of workflow.matchAll(/node (scripts\/[\w.-]+)/g))
      expect(existsSync(join(ROOT, file))).toBe(true);
    expect(workflow.match(/npm publish --provenance/g)).toHaveLength(2);
    expect(workflow).toContain("id-token: write");
  });

  test("builds its image from the packed tarballs and files next to the Dockerfile", () => {
    const docker = read("team/deploy/Dockerfile");
    const copied = [...docker.matchAll(/^COPY (?:--\S+ )?(\S+) /gm)].map(([, source = ""]) => source);
    expect(copied.length).toBeGreaterThan(1);
    const { version } = JSON.parse(read("package.json")) as { version: string };
    const present = [...readdirSync(join(ROOT, "team/deploy")), `isdlc-${version}.tgz`, `isdlc-team-${version}.tgz`];
    for (const source of copied) {
      const pattern = new RegExp(`^${source.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
      expect(present.filter((name) => pattern.test(name))).not.toEqual([]);
    }
    expect(docker).not.toMatch(/npm install[^\n]*(?:@latest|isdlc@)/);
    expect(docker).toMatch(/^USER node$/m);
  });
});
