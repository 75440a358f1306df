import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { findProgram } from "../process/find-program.ts";

export type Tools = {
  readonly home: string;
  /** In the form of the variable PATH. */
  readonly path: string;
  /** Program and arguments of the agent, as given by the user. */
  readonly command: readonly string[];
};

/** Returns folders and files needed to find and start a program. They may be missing. */
export function toolPaths({ home, path, command }: Tools): readonly string[] {
  const [program = "", ...args] = command;
  const found = findProgram(program, { PATH: path });
  return [
    ...path.split(delimiter).filter((folder) => isAbsolute(folder)),
    ...FOLDERS.map((folder) => join(home, folder)),
    ...[process.execPath, ...(found.ok ? [found.path] : [])].flatMap(pathsOfProgram),
    ...args.filter((arg) => isAbsolute(arg)).flatMap((arg) => (SCRIPT.test(arg) ? pathsOfProgram(arg) : [arg])),
    dirname(resolveRealPath("/etc/resolv.conf") ?? "/etc/resolv.conf"), // often a link into /run
    "/run/current-system", // programs of NixOS
  ];
}

/** Folders of version managers and installers for programs, relative to the home folder. Without caches and logins. */
const FOLDERS: readonly string[] = [
  ...".nvm .fnm .volta .asdf .nodenv .bun .deno .npm-global .rustup .cargo/bin".split(" "),
  ...".pyenv .rbenv .sdkman .jenv go/bin .local/bin .local/lib .local/pipx".split(" "),
  ...".local/share/fnm .local/share/mise .local/share/pnpm .local/share/uv .local/share/claude".split(" "),
];

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|sh|pl)$/;

/** Returns the file, its real path, the folders of both, and the packages it was installed with. */
function pathsOfProgram(file: string): readonly string[] {
  const real = resolveRealPath(file);
  if (real === null) return [];
  const packages = [...real.matchAll(/\/node_modules(?=\/)/g)].map(({ 0: name, index }) =>
    real.slice(0, index + name.length),
  );
  return [dirname(file), file, dirname(real), real, ...packages];
}

function resolveRealPath(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}
