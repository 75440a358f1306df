import { describe, expect, test } from "vitest";
import { lockChanges } from "../../../src/core/review-order/locked-versions.ts";

const npm = (packages: object): string => JSON.stringify({ lockfileVersion: 3, packages: { "": {}, ...packages } });
const at = (version: string, integrity = "sha512-a"): object => ({ version, integrity });
const toml = (name: string, version: string, hash: string): string =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+x"\nchecksum = "${hash}"\n\n`;

describe("changed dependencies of a lock file", () => {
  test.each([
    [
      "package-lock.json",
      npm({ "node_modules/left-pad": at("1.0.0"), "node_modules/a/node_modules/b": at("2.0.0") }),
      npm({ "node_modules/left-pad": at("1.3.0"), "node_modules/@s/new": at("1.0.0") }),
      ["@s/new 1.0.0 (new)", "b 2.0.0 (removed)", "left-pad 1.0.0 → 1.3.0"],
    ],
    [
      "a/pnpm-lock.yaml",
      "lockfileVersion: '9.0'\n\npackages:\n\n  left-pad@1.0.0:\n    resolution: {integrity: a}\n\n  '@s/x@1.0.0':\n    resolution: {integrity: b}\n\nsnapshots:\n\n  left-pad@1.0.0: {}\n",
      "lockfileVersion: '9.0'\n\npackages:\n\n  left-pad@1.3.0(react@18.0.0):\n    resolution: {integrity: c}\n\n  '@s/x@1.0.0':\n    resolution: {integrity: b}\n",
      ["left-pad 1.0.0 → 1.3.0"],
    ],
    [
      "pnpm-lock.yaml",
      "lockfileVersion: 5.4\npackages:\n\n  /left-pad/1.0.0:\n    resolution: {integrity: a}\n",
      "lockfileVersion: 5.4\npackages:\n\n  /left-pad/1.3.0:\n    resolution: {integrity: a}\n",
      ["left-pad 1.0.0 → 1.3.0"],
    ],
    [
      "yarn.lock",
      '# yarn lockfile v1\n\nleft-pad@^1.0.0:\n  version "1.0.0"\n  resolved "https://a"\n',
      '# yarn lockfile v1\n\n"@s/x@^2.0.0":\n  version "2.0.0"\n\nleft-pad@^1.0.0:\n  version "1.3.0"\n  resolved "https://a"\n',
      ["@s/x 2.0.0 (new)", "left-pad 1.0.0 → 1.3.0"],
    ],
    [
      "yarn.lock",
      '"left-pad@npm:^1.0.0":\n  version: 1.0.0\n',
      '"left-pad@npm:^1.0.0":\n  version: 1.3.0\n',
      ["left-pad 1.0.0 → 1.3.0"],
    ],
    ["Cargo.lock", toml("serde", "1.0.1", "a"), toml("serde", "1.0.2", "b"), ["serde 1.0.1 → 1.0.2"]],
    ["poetry.lock", toml("flask", "3.0.0", "a"), toml("flask", "3.0.1", "b"), ["flask 3.0.0 → 3.0.1"]],
    ["uv.lock", null, toml("flask", "3.0.0", "a"), ["flask 3.0.0 (new)"]],
    [
      "go.sum",
      "golang.org/x/net v0.1.0 h1:a\ngolang.org/x/net v0.1.0/go.mod h1:b\n",
      "golang.org/x/net v0.2.0 h1:c\ngolang.org/x/net v0.2.0/go.mod h1:d\n",
      ["golang.org/x/net v0.1.0 → v0.2.0"],
    ],
    ["package-lock.json", npm({}), "{ damaged", null],
    ["flake.lock", "a", "b", null],
  ])("%s", (...[path, before, after, changes]) => {
    expect(lockChanges(path, before, after)).toEqual(changes);
  });

  test("reports another source or checksum of the same version", () => {
    const before = npm({ "node_modules/left-pad": at("1.0.0", "sha512-a") });
    const after = npm({ "node_modules/left-pad": at("1.0.0", "sha512-b") });
    expect(lockChanges("package-lock.json", before, after)).toEqual([
      "left-pad 1.0.0: same version, other source or checksum",
    ]);
    expect(lockChanges("package-lock.json", before, before)).toEqual([]);
  });
});
