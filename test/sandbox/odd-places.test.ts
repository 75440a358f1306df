import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changed } from "./sandbox-attempt.ts";
import { createTestSandbox, createPlace, type Layout, missing, play, suffix } from "./sandbox-fixture.ts";

describe.skipIf(missing !== null)(`sandbox of unusual paths${suffix}`, () => {
  const deed = 'echo x >src/app.mjs; echo x >.isdlc/state.json; cat "$HOME/.ssh/id_ed25519"; echo said';
  const layouts: readonly (readonly [string, Layout])[] = [
    ["a tree in /tmp", { within: tmpdir() }],
    ["a tree in the home folder", { tree: "home/code/tree" }],
    ["a path with spaces, line breaks, quotes and dashes", { tree: "-- a b\n'\"$(x)/--bind" }],
  ];
  test.each(layouts)("allows work in %s", async (_name, layout) => {
    const place = createPlace(layout);
    const ran = await play(place, deed, { sandbox: createTestSandbox(place) });
    expect(ran.stdout).toBe("said");
    expect(readFileSync(join(place.tree, "src/app.mjs"), "utf8")).toBe("x\n");
    expect(readFileSync(join(place.tree, ".isdlc/state.json"), "utf8")).toBe("the person's\n");
  });

  test("keeps a reviewer's copy in /tmp read-only", async () => {
    const place = createPlace({ within: tmpdir() });
    const script = "cat src/app.mjs; echo x >src/app.mjs";
    const ran = await play(place, script, { sandbox: createTestSandbox(place), access: "read" });
    expect(ran.stdout).toBe("the person's");
    expect(ran.stderr).toContain("Read-only file system");
    expect(changed("tree/src/app.mjs")(place)).toBe(false);
  });

  test("blocks a service with a socket in /tmp", async () => {
    const place = createPlace({ within: tmpdir() });
    const socket = join(place.base, "service.sock");
    const server = createServer((connection) => connection.end("did it\n")).listen(socket);
    await once(server, "listening");
    const script = `node -e 'require("net").connect(process.argv[1]).pipe(process.stdout)' "$BASE/service.sock"`;
    const [plain, sandboxed] = [
      await play(place, script),
      await play(place, script, { sandbox: createTestSandbox(place) }),
    ];
    server.close();
    expect(plain.stdout).toBe("did it");
    expect(sandboxed.stdout).toBe("");
    expect(sandboxed.stderr).toContain("ENOENT");
  });

  test("allows writes in a linked worktree, but not in its repository", async () => {
    const place = createPlace({ tree: "home/main" });
    const tree = join(place.home, "linked");
    place.git("worktree", "add", "--quiet", tree);
    place.put("home/linked/.isdlc/state.json");
    const common = join(place.tree, ".git");
    const sandbox = createTestSandbox(place, { root: tree, gitDirs: [join(common, "worktrees/linked"), common] });
    const script =
      "echo x >src/app.mjs; git log -1 --format=%s; echo x >.isdlc/state.json; echo x >$TREE/.isdlc/state.json; " +
      "echo x >$TREE/.git/hooks/pre-commit; git config a.b c; rm -f .git; git commit --all --message own; mv .git away";
    const ran = await play(place, script, { sandbox, cwd: tree });
    expect(ran.stdout).toContain("First");
    expect(readFileSync(join(tree, "src/app.mjs"), "utf8")).toBe("x\n");
    for (const folder of [tree, place.tree])
      expect(readFileSync(join(folder, ".isdlc/state.json"), "utf8")).toBe("the person's\n");
    expect(existsSync(join(common, "hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(tree, ".git"), "utf8")).toContain("gitdir: ");
    expect(place.git("log", "--all", "--format=%s").trim()).toBe("First");
  });

  test("allows writes in a copy, but not in the working tree", async () => {
    const place = createPlace();
    place.put("copy/src/app.mjs");
    const cwd = join(place.base, "copy");
    const script = 'echo x >src/app.mjs; echo x >"$TREE/src/app.mjs"';
    await play(place, script, { sandbox: createTestSandbox(place, { extra: { read: [], write: [place.tree] } }), cwd });
    expect(readFileSync(join(cwd, "src/app.mjs"), "utf8")).toBe("x\n");
    expect(readFileSync(join(place.tree, "src/app.mjs"), "utf8")).toBe("the person's\n");
  });
});
