import { findSections, readTexts, type Detector } from "./detector.ts";

const DECIDING_SECTION = /^\[{1,2}(?:workspace|lib|bin|test|bench|example|features|profile\.test)\b/;

export const cargoTests: Detector = (files) => {
  const manifest = files.text("Cargo.toml");
  if (manifest === null) return null;
  const sections = findSections(manifest, DECIDING_SECTION);
  const automatic = manifest.split("\n").filter((line) => /^auto(?:tests|bins|examples|benches)\b/.test(line));
  const isWorkspace = /^\[workspace\b/m.test(sections);
  return {
    argv: isWorkspace ? ["cargo", "test", "--workspace"] : ["cargo", "test"],
    source: "Cargo.toml",
    definition: [
      ["Cargo.toml", [sections, ...automatic].join("\n")],
      ...readTexts(files, [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"]),
    ],
  };
};
