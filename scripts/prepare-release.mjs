// Prepares a checkout for publishing: writes the repository into both packages, as provenance requires, and turns
// relative links of the README into links to the tag, as npm shows the README without the files next to it.
// Usage: node scripts/prepare-release.mjs <repository URL> <tag> [<folder>]
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [repository = "", tag = "", folder = "."] = process.argv.slice(2);
if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(repository) || !/^v\d+\.\d+\.\d+[\w.-]*$/.test(tag))
  throw new Error("usage: node scripts/prepare-release.mjs https://<host>/<owner>/<name> v<version> [<folder>]");

for (const [name, directory] of [["package.json"], ["team/package.json", "team"]]) {
  const file = join(folder, name);
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  if (`v${manifest.version}` !== tag) throw new Error(`${name} has version ${manifest.version}, the tag is ${tag}`);
  manifest.repository = { type: "git", url: `git+${repository}.git`, ...(directory ? { directory } : {}) };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

const readme = join(folder, "README.md");
const isRelative = (target) => !/^(?:[a-z]+:|#|\/)/i.test(target);
const linked = readFileSync(readme, "utf8").replaceAll(/(!?)(\[[^\]]*\])\(([^)\s]+)\)/g, (...found) => {
  const [whole, image, text, target] = found;
  const view = image === "" ? "blob" : "raw";
  return isRelative(target) ? `${image}${text}(${repository}/${view}/${tag}/${target})` : whole;
});
writeFileSync(readme, linked);
