import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import { FEATURE, FOLDER, keptWith, killWhen, readMeta, prepareFeature, spec, started } from "./prepared-feature.ts";

const HALF = "# half a design\n";

/** A feature whose program was killed after the agent wrote half of the design. */
async function interrupted(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify");
  sandbox.plan({ turns: { design: [{ artifacts: false, writes: { "{item}/design.md": HALF }, hangs: true }, {}] } });
  const design = join(sandbox.root, FEATURE, "design.md");
  await killWhen(sandbox, ["design"], () => existsSync(design) && readFileSync(design, "utf8") === HALF);
  expect(readMeta(sandbox).phases.design).toMatchObject({ started: expect.any(String), completed: null });
  return sandbox;
}

describe.concurrent("interrupted design", () => {
  test("detects the interrupted phase, offers three choices and can show its document [SPEC-AC14, SPEC-R7.1, SPEC-R7.2, SPEC-R7.3]", async () => {
    const sandbox = await interrupted();
    const asked = await spec(sandbox, "design", "--json");
    expect(asked.code).toBe(3);
    const { kind, options, flag } = parsed(asked).choice;
    expect([kind, options, flag]).toEqual(["partial", ["continue", "fresh", "review"], "--on-partial <option>"]);
    const looked = await spec(sandbox, "design", "--on-partial", "review");
    expect(looked).toMatchObject({ code: 3, stdout: expect.stringContaining("half a design") });
    for (const other of ["2", "Another page"]) {
      const elsewhere = await spec(sandbox, "design", other, "--on-partial", "continue");
      expect([elsewhere.code, elsewhere.stdout.includes("interrupted")]).toEqual([3, true]);
    }
    expect(started(sandbox)).toEqual(["design"]);
    expect(sandbox.read(`${FEATURE}/design.md`)).toBe(HALF);
  });

  test("continues the same attempt and document with --on-partial continue [SPEC-AC14, SPEC-R7.2]", async () => {
    const sandbox = await interrupted();
    sandbox.plan({ turns: { design: [{}, { reads: ["{item}/design.md"] }] } });
    const continued = await spec(sandbox, "design", "1", "--on-partial", "continue");
    expect(continued).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Next: isdlc create-plan$/m) });
    const [first, second] = sandbox.log().filter(({ key }) => key === "design");
    expect(second?.attempt).toBe(first?.attempt);
    expect(Object.values(second?.reads ?? {})).toEqual([HALF]);
    expect(readMeta(sandbox).phases.design).toMatchObject({ completed: expect.any(String), iterations: 1 });
  });

  test("starts a new attempt with --on-partial fresh; a ref saves the document [SPEC-AC14, SPEC-R7.2]", async () => {
    const sandbox = await interrupted();
    sandbox.plan({ turns: { design: [{}, { reads: ["{item}/design.md"] }] } });
    const fresh = await sandbox.person("design", "--on-partial", "fresh", ...sandbox.agent);
    expect(fresh.code).toBe(0);
    const again = sandbox.log().filter(({ key }) => key === "design")[1];
    expect([again?.attempt, Object.values(again?.reads ?? {})]).toEqual(["design#2", [null]]);
    expect(keptWith(sandbox, `${FEATURE}/design.md`, "half a design")).not.toEqual([]);
    expect(readMeta(sandbox).phases.design).toMatchObject({ completed: expect.any(String) });
  });
});

describe.concurrent("unfinished phase without a run", () => {
  const left = async (): Promise<Sandbox> => {
    const sandbox = await createSandbox();
    const state = { started: "2026-01-01T00:00:00.000Z", completed: null };
    prepareFeature(sandbox, "specify", {
      more: { phases: { design: state } },
      files: { [`${FEATURE}/design.md`]: HALF },
    });
    return sandbox;
  };

  test("shows the document with --on-partial review and asks again [SPEC-AC14, SPEC-R7.2]", async () => {
    const sandbox = await left();
    const looked = await spec(sandbox, "design", "--on-partial", "review");
    expect(looked).toMatchObject({ code: 3, stdout: expect.stringContaining("half a design") });
    expect(sandbox.log()).toEqual([]);
  });

  test.for([
    ["continue", HALF],
    ["fresh", null],
  ] as const)("passes the expected document to the agent with %s [SPEC-AC14, SPEC-R7.2]", async ([way, found]) => {
    const sandbox = await left();
    sandbox.plan({ turns: { design: [{ reads: ["{item}/design.md"] }] } });
    const { code, stderr } = await spec(sandbox, "design", "--on-partial", way);
    expect(code).toBe(0);
    expect(Object.values(sandbox.log()[0]?.reads ?? {})).toEqual([found]);
    const ref = /is kept on (\S+)/.exec(stderr)?.[1] ?? null;
    expect(ref === null).toBe(way === "continue");
    if (ref !== null) expect(sandbox.git("show", `${ref}:${FEATURE}/design.md`)).toContain("half a design");
  });

  test("keeps an earlier saved ref, and saves an ignored document too [SPEC-AC14]", async () => {
    const sandbox = await left();
    const earlier = `refs/isdlc/${FOLDER}/design-unfinished`;
    sandbox.git("update-ref", earlier, "main");
    sandbox.git("rm", "--quiet", "--cached", `${FEATURE}/design.md`);
    sandbox.write(".gitignore", "design.md\n");
    sandbox.git("add", ".gitignore");
    sandbox.git("commit", "--quiet", "--message", "Ignore it");
    const { stderr } = await spec(sandbox, "design", "--on-partial", "fresh");
    const ref = /is kept on (\S+)/.exec(stderr)?.[1] ?? "";
    expect(ref).toBe(`${earlier}-2`);
    expect(sandbox.git("show", `${ref}:${FEATURE}/design.md`)).toContain("half a design");
    expect(sandbox.git("rev-parse", earlier)).toBe(sandbox.git("rev-parse", "main"));
  });
});
