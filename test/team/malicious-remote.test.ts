import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isHostFailure } from "../../team/src/copies/host-failure.ts";
import { createRepositoryCopies, type RepositoryCopy } from "../../team/src/copies/repository-copies.ts";
import { scene, useMergeScene } from "./merge-fixture.ts";

const MAIN = "refs/heads/main";
const LIMIT_MS = 3000;
const FLUSH = Buffer.from("0000");

type Remote = {
  /** Advertised refs: name and id. */
  readonly refs?: readonly (readonly [name: string, id: string])[];
  /** Target of the remote's HEAD. */
  readonly head?: string;
  /** Sent as pack. */
  readonly pack?: Buffer;
  /** Accepts the connection and never answers. */
  readonly hangs?: boolean;
};

const line = (text: string): Buffer => {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
};

/** Answers a fetch in git's original protocol: the refs, then the pack. */
function serve(socket: Socket, { refs = [], head = MAIN, pack = Buffer.alloc(0), hangs }: Remote): void {
  socket.on("error", () => undefined);
  if (hangs === true) return;
  let text: string | null = null;
  socket.on("data", (chunk: Buffer) => {
    if (text === null) {
      const capabilities = `\0ofs-delta symref=HEAD:${head} agent=git/2`;
      const lines = refs.map(([name, id], at) => line(`${id} ${name}${at === 0 ? capabilities : ""}\n`));
      socket.write(Buffer.concat([...lines, FLUSH]));
      text = "";
      return;
    }
    text += chunk.toString("latin1");
    if (text === "0000") socket.end();
    if (text.endsWith("0009done\n")) socket.end(Buffer.concat([line("NAK\n"), pack]));
  });
}

describe("a malicious remote", () => {
  let server: Server;
  const sockets = new Set<Socket>();
  let tip: string;
  useMergeScene();
  beforeEach(() => {
    tip = scene.tip("main");
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });

  async function copyOf(remote: Remote): Promise<RepositoryCopy> {
    server = createServer((socket) => {
      sockets.add(socket);
      serve(socket, remote);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const env = { PATH: process.env["PATH"], HOME: scene.folder, GIT_CONFIG_NOSYSTEM: "1" };
    const folder = join(scene.folder, "copies");
    return createRepositoryCopies({ folder, env, limitMs: LIMIT_MS, maxBytes: 1e9 }).open(
      `git://127.0.0.1:${port}/repository`,
    );
  }

  const packOf = (...objects: readonly string[]): Buffer =>
    execFileSync("git", ["pack-objects", "--stdout", "--revs", "--quiet"], {
      cwd: scene.remote,
      input: `${objects.join("\n")}\n`,
      stdio: ["pipe", "pipe", "ignore"],
    });
  const refsOf = async ({ git }: RepositoryCopy): Promise<string> =>
    (await git(["for-each-ref", "--format=%(refname)"])).stdout.toString("utf8");

  test("with a true ref among strange ones gives its value, and writes no other ref or file", async () => {
    const names = [
      "refs/heads/../../../evil",
      "refs/kept/x",
      "refs/heads/-x",
      "refs/heads/a;touch evil",
      "../evil",
      "HEAD.lock",
    ];
    const refs = [...names, MAIN].map((name) => [name, tip] as const);
    const copy = await copyOf({ refs: [["HEAD", tip], ...refs], pack: packOf(tip) });
    expect([...(await copy.fetch([MAIN]))]).toEqual([[MAIN, tip]]);
    expect(await copy.readMainBranch()).toBe("main");
    expect(await refsOf(copy)).toMatch(/^refs\/kept\/[0-9a-f]{32}\n$/);
    for (const path of ["evil", "copies/evil"]) expect(existsSync(join(scene.folder, path))).toBe(false);
  });

  test.for([
    "refs/heads/../../evil",
    "refs/heads/-x --upload-pack=id",
    "refs/tags/main",
    "../config",
    "refs/heads/a:b",
  ])("with HEAD at %s has no main branch", async (head) => {
    const copy = await copyOf({
      refs: [
        ["HEAD", tip],
        [MAIN, tip],
      ],
      head,
    });
    expect(await copy.readMainBranch()).toBeNull();
  });

  test.for<[string, (tip: string) => Buffer]>([
    ["a corrupt pack", () => Buffer.concat([packOf(tip).subarray(0, -30), Buffer.alloc(30)])],
    ["a pack that ends early", () => packOf(tip).subarray(0, 40)],
    [
      "a pack that announces four billion objects",
      () => Buffer.concat([Buffer.from("PACK\0\0\0\x02"), Buffer.alloc(4, 255)]),
    ],
    ["other objects than those of its ref", () => packOf(scene.forceFile("other", tip, "other.js"), `^${tip}`)],
    ["no pack", () => Buffer.alloc(0)],
  ])("that sends %s is a failed fetch, and leaves no ref", async ([, pack]) => {
    const copy = await copyOf({
      refs: [
        ["HEAD", tip],
        [MAIN, tip],
      ],
      pack: pack(tip),
    });
    await expect(copy.fetch([MAIN])).rejects.toMatchObject({ problem: { code: "GIT_FAILED" } });
    expect(await refsOf(copy)).toBe("");
    expect((await copy.git(["rev-list", "--objects", tip])).status).not.toBe(0);
  });

  test("that hangs is given up after the time limit, as a temporary failure of the host", async () => {
    const copy = await copyOf({ hangs: true });
    const failure = await copy.fetch([MAIN]).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      problem: { code: "GIT_FAILED", detail: expect.stringContaining("no answer within") },
    });
    expect(isHostFailure((failure as { problem: { detail: string } }).problem.detail)).toBe(true);
    await expect(copy.readMainBranch()).rejects.toMatchObject({ problem: { code: "GIT_FAILED" } });
  });
});
