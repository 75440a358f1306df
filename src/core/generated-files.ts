const LOCK_FILES = new Set(
  "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock go.sum Cargo.lock poetry.lock uv.lock pdm.lock Pipfile.lock Gemfile.lock composer.lock mix.lock Package.resolved packages.lock.json gradle.lockfile flake.lock .terraform.lock.hcl".split(
    " ",
  ),
);
const GENERATED_FILE = /\.(?:min\.(?:js|css|mjs)|map|snap|pb\.go|g\.dart|designer\.cs)$|_pb2(?:_grpc)?\.pyi?$/i;
const GENERATED_FOLDERS = new Set(["dist", "__snapshots__", "__generated__", "generated", "node_modules", "vendor"]);

/** True for files usually written by tools: lock files, bundles, snapshots. Only affects the order of display. */
export function isGeneratedFile(path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  return (
    LOCK_FILES.has(name) || GENERATED_FILE.test(name) || parts.slice(0, -1).some((part) => GENERATED_FOLDERS.has(part))
  );
}
