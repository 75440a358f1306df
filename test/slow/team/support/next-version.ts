import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect } from "vitest";
import { bundleSettings, teamExternals } from "../../../../scripts/bundle-settings.mjs";
import { builtProgram } from "../../../support/built-program.ts";
import { type Sandbox, startProgram } from "../../../support/cli.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

const root = join(import.meta.dirname, "../../../..");
const OF_NOW = "GENERATION = 3;";
const OF_NEXT = "GENERATION = 4;";

/** A user with a program of the next version, whose workers and servers do not accept requests of this one. */
export async function withNextVersion(person: Sandbox): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-next-"));
  afterAll(() => removeTemporary(folder));
  const installed = dirname(dirname(dirname(await builtProgram())));
  cpSync(installed, folder, { recursive: true, filter: (path) => path !== join(installed, "node_modules") });
  await buildTeamPackage(join(folder, "node_modules/isdlc-team"));
  const program = join(folder, "dist/bin/isdlc.cjs");
  const start: Sandbox["start"] = (args, more = {}) =>
    startProgram([program, ...args], { cwd: person.root, env: { ...person.env, ...more } });
  return { ...person, start };
}

async function buildTeamPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "team/package.json"), join(folder, "package.json"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  let changed = 0;
  await build({
    ...bundleSettings,
    define: {
      ...bundleSettings.define,
      ISDLC_VERSION: JSON.stringify(version),
      ISDLC_STATE_VERSION: JSON.stringify(version),
    },
    entryPoints: [join(root, "team/src/index.ts")],
    outfile: join(folder, "dist/index.cjs"),
    external: teamExternals,
    plugins: [
      {
        name: "the number of the next version",
        setup: (building) =>
          building.onLoad({ filter: /drive-queue\.ts$/ }, ({ path }) => {
            const contents = readFileSync(path, "utf8").replace(OF_NOW, () => (changed++, OF_NEXT));
            return { contents, loader: "ts" };
          }),
      },
    ],
  });
  expect(changed).toBe(1);
}
