import type { ProjectFiles } from "./project-files.ts";
import { readTexts, type Detector, findSections } from "./detector.ts";

/**
 * Build tool with files that define how its tests run. They are included completely: it is hard to know which parts
 * are irrelevant.
 */
type Tool = {
  readonly found: (files: ProjectFiles) => string | undefined;
  readonly argv: (files: ProjectFiles) => readonly string[];
  readonly definition: (source: string) => readonly string[];
};

const detectorFor =
  ({ found, argv, definition }: Tool): Detector =>
  (files) => {
    const source = found(files);
    if (source === undefined) return null;
    return { argv: argv(files), source, definition: readTexts(files, definition(source)) };
  };

const firstExisting =
  (...names: string[]) =>
  (files: ProjectFiles): string | undefined =>
    names.find((name) => files.text(name) !== null);

const wrapperOr =
  (wrapper: string, program: string, ...args: string[]) =>
  (files: ProjectFiles): readonly string[] => [files.text(wrapper) === null ? program : `./${wrapper}`, ...args];

const throughBundler =
  (...argv: string[]) =>
  (files: ProjectFiles): readonly string[] =>
    files.exists("Gemfile") ? ["bundle", "exec", ...argv] : argv;

export const goTests = detectorFor({
  found: firstExisting("go.mod"),
  argv: () => ["go", "test", "./..."],
  definition: () => ["go.work"],
});

const GRADLE_FILES = ["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"];

export const gradleTests = detectorFor({
  found: firstExisting(...GRADLE_FILES),
  argv: wrapperOr("gradlew", "gradle", "test"),
  definition: () => [...GRADLE_FILES, "gradle.properties", "gradlew", "gradle/wrapper/gradle-wrapper.properties"],
});

export const mavenTests = detectorFor({
  found: firstExisting("pom.xml"),
  argv: wrapperOr("mvnw", "mvn", "--batch-mode", "test"),
  definition: () => ["pom.xml", "mvnw", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml"],
});

export const rspecTests = detectorFor({
  found: (files) =>
    firstExisting(".rspec")(files) ??
    (files.names("spec").some((name) => name.endsWith("_spec.rb")) ? "spec" : undefined),
  argv: throughBundler("rspec"),
  definition: () => [".rspec"],
});

const RAKE_TEST = /TestTask\b|\btask\s*\(?\s*(?::|["'])?test\b/;

export const rakeTests = detectorFor({
  found: (files) => ["Rakefile", "rakefile", "Rakefile.rb"].find((name) => RAKE_TEST.test(files.text(name) ?? "")),
  argv: throughBundler("rake", "test"),
  definition: (source) => [source],
});

export const mixTests = detectorFor({
  found: firstExisting("mix.exs"),
  argv: () => ["mix", "test"],
  definition: () => ["mix.exs", "test/test_helper.exs"],
});

export const dotnetTests = detectorFor({
  found: (files) => files.names(".").find((name) => /\.(?:slnx?|csproj|fsproj|vbproj)$/.test(name)),
  argv: () => ["dotnet", "test"],
  definition: (source) => [source, "Directory.Build.props", "Directory.Build.targets", "global.json", ".runsettings"],
});

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
