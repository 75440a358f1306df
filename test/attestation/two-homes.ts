import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "../support/built-program.ts";
import { createSandbox, type Outcome, type Sandbox, type SandboxOptions } from "../support/cli.ts";
import { makeKey } from "./keys.ts";

/** A person with an SSH key that git signs with. */
export type Signer = Sandbox & {
  readonly key: string;
  /** The line of an allowed_signers file. */
  signerLine(name: string, options?: string): string;
};

export async function createSigner(options: SandboxOptions = {}): Promise<Signer> {
  const sandbox = await createSandbox(options);
  const home = join(sandbox.base, "home");
  const key = makeKey(join(home, ".ssh"), "id_ed25519");
  writeFileSync(join(home, ".gitconfig"), `[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ${key.file}.pub\n`);
  return {
    ...sandbox,
    key: `${key.file}.pub`,
    signerLine: (name, more = "") => `${name} ${more}${more === "" ? "" : " "}${key.public}`,
  };
}

/** Another user with a different home, a clone and no files of isdlc. */
export type Verifier = {
  readonly root: string;
  readonly home: string;
  readonly signers: string;
  trust(line: string): void;
  git(...args: string[]): string;
  isdlc(...args: string[]): Promise<Outcome>;
};

export async function createVerifier(from: Sandbox, remote: string): Promise<Verifier> {
  const program = await builtProgram();
  const base = join(from.base, `verifier-${Math.random().toString(36).slice(2, 8)}`);
  const [root, home] = [join(base, "clone"), join(base, "home")];
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_SYSTEM: "/dev/null", LC_ALL: "C" };
  const run = (cwd: string, args: readonly string[]): string =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  run(home, ["clone", "--quiet", remote, root]);
  const signers = join(home, "allowed_signers");
  writeFileSync(signers, "");
  return {
    root,
    home,
    signers,
    trust: (line) => appendFileSync(signers, `${line}\n`),
    git: (...args) => run(root, args),
    isdlc: (...args) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [program, ...args], {
          cwd: root,
          env,
          stdio: ["ignore", "pipe", "pipe"],
        });
        const said = { stdout: "", stderr: "" };
        child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
        child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
        child.on("close", (code) => resolve({ code, ...said }));
      }),
  };
}

const WORK = { turns: { implement: [{ writes: { "greeting.txt": "hello\n" } }] } };

/** A complete run of the change workflow, with its gate answered by the user and pushed with its notes. */
export async function finishedRun(
  signer: Signer,
  end: "merge" | "pr" | "keep",
  beforeEnd: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string> {
  const remote = join(signer.base, "remote.git");
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  signer.git("remote", "add", "origin", remote);
  signer.git("push", "--quiet", "origin", "main");
  signer.plan(WORK);
  await signer.script("add a greeting", ...signer.agent);
  await signer.person("continue", "--as", "Ada");
  await beforeEnd();
  const ended = await signer.person("answer", end);
  if (ended.code !== 0) throw new Error(`${ended.stdout}${ended.stderr}`);
  signer.git("push", "--quiet", "origin", "--all");
  signer.git("push", "--quiet", "origin", "refs/notes/isdlc");
  return remote;
}
