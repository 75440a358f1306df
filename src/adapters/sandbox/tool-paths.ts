import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { findProgram } from "../process/find-program.ts";

export type Tools = {
  readonly home: string;
  /** As in the variable PATH. */
  readonly path: string;
  /** Program and arguments of the agent, as the person gave them. */
  readonly command: readonly string[];
};

/** Folders and files a program needs to be found and started; they may not exist. */
export function toolPaths({ home, path, command }: Tools): readonly string[] {
  const [program = "", ...args] = command;
  const found = findProgram(program, { PATH: path });
  return [
    ...path.split(delimiter).filter((folder) => isAbsolute(folder)),
    ...FOLDERS.map((folder) => join(home, folder)),
    ...[process.execPath, ...(found.ok ? [found.path] : [])].flatMap(pathsOfProgram),
    ...args.filter((arg) => isAbsolute(arg)).flatMap((arg) => (SCRIPT.test(arg) ? pathsOfProgram(arg) : [arg])),
    dirname(resolveRealPath("/etc/resolv.conf") ?? "/etc/resolv.conf"), // often a link into /run
    "/run/current-system", // NixOS has its programs there
  ];
}

/** Where version managers and installers put programs below a home. No caches, and nothing that holds a login. */
const FOLDERS: readonly string[] = [
  ...".nvm .fnm .volta .asdf .nodenv .bun .deno .npm-global .rustup .cargo/bin".split(" "),
  ...".pyenv .rbenv .sdkman .jenv go/bin .local/bin .local/lib .local/pipx".split(" "),
  ...".local/share/fnm .local/share/mise .local/share/pnpm .local/share/uv .local/share/claude".split(" "),
];

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|sh|pl)$/;

/** The file by its name and by its real place, what lies beside it, and the packages it was installed with. */
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
