/** How every bundle of the program is made, shared by the build and by tests that look inside a bundle. */
export const bundleSettings = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  define: { "import.meta.dirname": "__dirname" },
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" }, // its other form cannot be bundled
  plugins: [
    {
      name: "own code that is imported on demand is in later.cjs",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\.ts$/ }, ({ kind }) =>
          kind === "dynamic-import" ? { path: "./later.cjs", external: true } : null,
        ),
    },
  ],
  supported: { "dynamic-import": false }, // becomes require: the loader of ES modules takes time to start
  logLevel: "warning",
};

/** The library in one file: whoever imports it has none of the packages that it is made of. */
export const librarySettings = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  alias: bundleSettings.alias,
  logLevel: "warning",
};

/** Bundles that others load only when they are asked for. */
export const loadedLater = ["./ui.cjs"];

/** Of the package for teams: optional in what it is made of, and loaded only where it is installed. */
export const teamExternals = ["pg-native", "@opentelemetry/context-async-hooks"];
