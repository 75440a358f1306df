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

/** Bundles that others load only when they are asked for. */
export const loadedLater = ["./mcp.cjs", "./ui.cjs"];

/** The package for teams: one ES module. What is external is optional there, and loaded only where it is installed. */
export const teamSettings = {
  format: "esm",
  define: {},
  external: ["pg-native"],
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
};
