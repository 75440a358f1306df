import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "./benches.ts";
import type { ReportLine } from "./report.ts";

/** Measures the package as installed by a user. */
export function measurePackage({ root }: Settings): readonly ReportLine[] {
  const listing = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(listing) as [{ unpackedSize: number; files: { path: string; size: number }[] }];
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const scripts = ["preinstall", "install", "postinstall", "prepare"].filter(
    (name) => name in (manifest.scripts ?? {}),
  );
  const start = packed.files.find(({ path }) => path === "dist/bin/isdlc.cjs")?.size ?? Number.NaN;
  return [
    line("unpacked size of the package", { value: packed.unpackedSize / 1e6, goal: 10, unit: " MB" }),
    line("runtime dependencies", { value: Object.keys(manifest.dependencies ?? {}).length, goal: 0, unit: "" }),
    line("scripts run at installation", { value: scripts.length, goal: 0, unit: "" }),
    line("size of the start file", { value: start / 1000, goal: null, unit: " kB" }),
  ];
}

type Manifest = { readonly dependencies?: object; readonly scripts?: object };

type Amount = { readonly value: number; readonly goal: number | null; readonly unit: string };

const line = (what: string, { value, goal, unit }: Amount): ReportLine => ({
  what,
  base: "-",
  figures: [{ name: "", value }],
  goal,
  unit,
});
