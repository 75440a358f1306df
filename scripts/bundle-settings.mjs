/** Settings of all bundles of the program, shared by the build and by tests of the bundles. */
export const bundleSettings = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  define: { "import.meta.dirname": "__dirname" },
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" }, // the default entry fails to bundle
  plugins: [
    {
      name: "own code that is imported on demand is in later.cjs",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\.ts$/ }, ({ kind }) =>
          kind === "dynamic-import" ? { path: "./later.cjs", external: true } : null,
        ),
    },
  ],
  supported: { "dynamic-import": false }, // becomes require, because the loader of ES modules starts slowly
  logLevel: "warning",
};

/** The library in one file, because its dependencies are not installed with it. */
export const librarySettings = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  alias: bundleSettings.alias,
  minify: true,
  keepNames: true, // for stack traces in bug reports
  logLevel: "warning",
};

/** Bundles loaded on demand. */
export const loadedLater = ["./ui.cjs"];

/** Optional dependencies of the team package's dependencies, loaded only if installed. */
export const teamExternals = ["pg-native", "@opentelemetry/context-async-hooks"];
