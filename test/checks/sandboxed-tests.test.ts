import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { missing, suffix } from "../sandbox/sandbox-fixture.ts";
import { NOTHING, type Project, sandboxedProject } from "./sandboxed-project.ts";

/** A test program in JavaScript. It fails if it throws. */
const script = (code: string): readonly string[] => [process.execPath, "-e", code];

/** Output of a program in the sandbox. Each test examines it from outside. */
async function said(project: Project, code: string, more: Parameters<Project["run"]>[1] = {}): Promise<string> {
  const { detail } = await project.run(script(`${code}; process.exit(1)`), more);
  return detail.split("\n").slice(1).join("\n");
}

const processesWith = (text: string): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false; // It exited in the meantime.
      }
    });

describe.skipIf(missing !== null)(`tests in the sandbox${suffix} [S4, S10]`, () => {
  test("run on exactly the snapshot despite later changes", async () => {
    const project = sandboxedProject();
    project.write("value.txt", "as shown");
    const tree = await project.workspace.now([]);
    project.write("value.txt", "written later");
    expect(await said(project, 'console.log(require("fs").readFileSync("value.txt", "utf8"))', { tree })).toBe(
      "as shown",
    );
  });

  test("may write into dependencies without lasting effect", async () => {
    const project = sandboxedProject();
    project.write("node_modules/kit/index.js", "installed");
    const code = `const fs = require("fs");
      if (fs.readFileSync("node_modules/kit/index.js", "utf8") !== "installed") throw new Error("not as installed");
      fs.writeFileSync("node_modules/kit/index.js", "written"); fs.writeFileSync("node_modules/kit/new.js", "")`;
    expect(await project.run(script(code))).toMatchObject({ ok: true, ranAs: "sandbox" });
    expect(await project.run(script(code)), "each run begins anew").toMatchObject({ ok: true });
    const kit = join(project.place.tree, "node_modules/kit");
    expect(readFileSync(join(kit, "index.js"), "utf8")).toBe("installed");
    expect(readdirSync(kit)).toEqual(["index.js"]);
  });

  test("report the limit and the command that allows it", async () => {
    const project = sandboxedProject();
    const result = await project.run(script('require("fs").writeFileSync("/usr/share/isdlc-test", "")'));
    expect(result).toMatchObject({ ok: false, sandboxLimits: [expect.stringContaining("--allow write:/usr/share")] });
    expect(result.detail).toMatch(/^The sandbox of the tests does not allow writing to/);
    expect(await project.run(script('throw new Error("a fault of the work")'))).not.toHaveProperty("sandboxLimits");
  });

  test("run in a copy at the same path and leave no files", async () => {
    const project = sandboxedProject();
    const { tree } = project.place;
    const result = await project.run(
      script(
        'require("fs").writeFileSync("src/app.mjs", "weakened"); require("fs").writeFileSync("new", process.cwd())',
      ),
    );
    expect(result).toMatchObject({ ok: true, ranAs: "sandbox" });
    expect(readFileSync(join(tree, "src/app.mjs"), "utf8")).toBe("the person's\n");
    expect(existsSync(join(tree, "new"))).toBe(false);
    expect(await said(project, "console.log(process.cwd())")).toBe(tree);
  });

  test("leave no process running, even a detached one", async () => {
    const project = sandboxedProject();
    const mark = `mark-${process.pid}-${Date.now()}`;
    const child = `require("child_process").spawn("setsid", ["--fork", process.execPath, "-e", "setInterval(() => {}, 1000)", "${mark}"], { stdio: "ignore", detached: true, env: {} })`;
    const code = `${child}.on("exit", () => process.exit(0))`;
    expect(await project.run(script(code))).toMatchObject({ ok: true });
    expect(processesWith(mark)).toEqual([]);
  });

  test("see no process of the user and only named variables", async () => {
    const project = sandboxedProject();
    const options = {
      env: { ...process.env, HOME: project.place.home, ISDLC_OPERATOR_TOKEN: "t", MY_KEY: "k", GOOD: "g" },
    };
    const more = { options: { ...options, variables: ["GOOD", "ISDLC_OPERATOR_TOKEN"] } };
    const numbers = await said(project, 'console.log(require("fs").readdirSync("/proc").filter(Number).length < 6)');
    expect(numbers).toBe("true");
    const names = await said(project, 'console.log(Object.keys(process.env).join(" "))', more);
    expect(names.split(" ")).toEqual(expect.arrayContaining(["PATH", "HOME", "CI", "GOOD", "ISDLC_AGENT"]));
    expect(names).not.toMatch(/MY_KEY|OPERATOR_TOKEN/);
  });

  test("see an empty home folder, no keys, and no writable kernel files", async () => {
    const project = sandboxedProject();
    const { home, config, state } = project.place;
    const look = (folder: string): Promise<string> =>
      said(project, `console.log(require("fs").readdirSync(${JSON.stringify(folder)}).join(" "))`);
    expect(await look(home)).toBe("");
    expect(await look(config)).toBe("");
    expect(await look(state)).toBe("");
    const open = (file: string): string =>
      `try { require("fs").closeSync(require("fs").openSync("${file}", "r+")); console.log("open ${file}") } catch {}`;
    const kernel = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/dev/vda"];
    expect(await said(project, kernel.map(open).join(";"))).toBe("");
  });

  test("reach no network unless the user allows it", async () => {
    const project = sandboxedProject();
    const server = createServer((_, response) => response.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = script(
      `fetch("http://127.0.0.1:${port}").then((r) => r.text()).then((t) => process.exit(t === "reached" ? 0 : 1), () => process.exit(1))`,
    );
    expect((await project.run(ask)).ok).toBe(false);
    expect((await project.run(ask, { needs: { ...NOTHING, network: true } })).ok).toBe(true);
  });

  test("read or write a folder only if the user allows it", async () => {
    const project = sandboxedProject();
    project.place.put("home/data/seed.txt", "seed");
    const folder = join(project.place.home, "data");
    const code = `const { readFileSync, writeFileSync } = require("fs"); readFileSync("${folder}/seed.txt"); writeFileSync("${folder}/made", "x")`;
    expect((await project.run(script(code))).ok).toBe(false);
    expect((await project.run(script(code), { needs: { ...NOTHING, read: [folder] } })).ok).toBe(false);
    expect((await project.run(script(code), { needs: { ...NOTHING, write: [folder] } })).ok).toBe(true);
    expect(existsSync(join(folder, "made"))).toBe(true);
  });

  test("use ignored packages read-only, with room for caches", async () => {
    const project = sandboxedProject();
    project.write("node_modules/tool/index.js", "module.exports = 'tool'");
    project.write("packages/one/index.js", "module.exports = 'one'");
    symlinkSync("../packages/one", join(project.place.tree, "node_modules/one"));
    const code = `
      const { mkdirSync, writeFileSync } = require("fs");
      if (require("tool") !== "tool" || require("one") !== "one") process.exit(2);
      mkdirSync("node_modules/.vite/deps", { recursive: true });
      writeFileSync("node_modules/.vite/deps/x", "cache");
      try { writeFileSync("node_modules/tool/index.js", "changed"); process.exit(3); } catch {}`;
    expect(await project.run(script(code))).toMatchObject({ ok: true });
    expect(readdirSync(join(project.place.tree, "node_modules")).sort()).toEqual(["one", "tool"]);
  });

  test("get copies of other ignored files, without caches preferred to sources", async () => {
    const project = sandboxedProject();
    project.write(".env", "PORT=1");
    project.write("dist/app.js", "built");
    project.write("src/__pycache__/app.cpython-312.pyc", "forged");
    const code = `
      const fs = require("fs");
      fs.writeFileSync("dist/app.js", "changed");
      if (fs.readFileSync(".env", "utf8") !== "PORT=1" || fs.existsSync("src/__pycache__")) process.exit(1);`;
    expect(await project.run(script(code))).toMatchObject({ ok: true });
    expect(readFileSync(join(project.place.tree, "dist/app.js"), "utf8")).toBe("built");
  });

  test("run in their earlier version with the current code", async () => {
    const project = sandboxedProject();
    project.write("test/a.test.js", "if (require('../code.js') !== 1) throw new Error('honest')");
    project.write("code.js", "module.exports = 1");
    const before = (await project.workspace.snapshot("before", [])) ?? "";
    project.write("test/a.test.js", "");
    project.write("test/b.test.js", "");
    project.write("code.js", "module.exports = 2");
    const argv = [process.execPath, "test/a.test.js"];
    expect(await project.run(argv)).toMatchObject({ ok: true });
    const earlier = { tree: before, paths: ["test/a.test.js"] };
    const result = await project.run(argv, { earlier });
    expect(result).toMatchObject({ ok: false });
    expect(result.detail).toContain("honest");
  });

  test("run without a later file that replaces a tool", async () => {
    const project = sandboxedProject();
    project.write("a.js", "require('node:fs').readFileSync('stand-in.js')");
    const before = (await project.workspace.snapshot("before", [])) ?? "";
    project.write("stand-in.js", "");
    const argv = [process.execPath, "a.js"];
    expect(await project.run(argv)).toMatchObject({ ok: true });
    const earlier = { tree: before, paths: [], without: ["stand-in.js"] };
    expect(await project.run(argv, { earlier })).toMatchObject({ ok: false });
  });

  test("are refused if a link leads out of the copy", async () => {
    const project = sandboxedProject();
    const victim = join(project.place.base, "victim");
    project.place.put("victim/a.test.js", "the person's");
    project.write("test/a.test.js", "");
    const before = (await project.workspace.snapshot("before", [])) ?? "";
    rmSync(join(project.place.tree, "test"), { recursive: true });
    symlinkSync(victim, join(project.place.tree, "test"));
    const earlier = { tree: before, paths: ["test/a.test.js"] };
    await expect(project.run(script(""), { earlier })).rejects.toThrow("leads out of the copy");
    expect(readFileSync(join(victim, "a.test.js"), "utf8")).toBe("the person's");
  });
});
