import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newPlace, type Place } from "./sample-run.ts";

export type BenchRepository = Place & {
  readonly git: (...args: string[]) => string;
  readonly write: (path: string, text: string) => void;
};

/** Creates a real repository with one commit of this number of files. */
export function newRepository(scratch: string, name: string, files: number): BenchRepository {
  const repository = emptyRepository(scratch, name);
  const { git, write } = repository;
  for (let number = 0; number < files; number++) write(sourcePath(number), sourceText(number));
  git("add", "--all");
  git("commit", "--quiet", "--message", "First");
  return repository;
}

/** Creates a real repository without commits. */
export function emptyRepository(scratch: string, name: string): BenchRepository {
  const place = newPlace(scratch, name);
  rmSync(join(place.tree, ".git"), { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: place.tree,
      env: place.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(place.tree, path)), { recursive: true });
    writeFileSync(join(place.tree, path), text);
  };
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@example.org");
  git("config", "gc.auto", "0");
  return { ...place, git, write };
}

export const sourcePath = (number: number): string => `src/part-${number % 20}/file-${number}.ts`;

export const sourceText = (number: number): string =>
  Array.from({ length: 60 }, (_, line) => `export const value${line} = ${number * 100 + line};\n`).join("");
