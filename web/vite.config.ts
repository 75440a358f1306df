import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** Named characters of HTML, as the Markdown parser reads them. */
const DECODER = "decode-named-character-reference";

/** The page, built into the package. Nothing is inlined: the server's policy allows scripts and styles from files only. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Its browser form writes innerHTML, which the page's policy forbids and workers do not have.
  resolve: { alias: { [DECODER]: fileURLToPath(import.meta.resolve(DECODER)) } },
  worker: { format: "es" },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    rollupOptions: { input: { index: "web/index.html", diagram: "web/diagram.html" } },
  },
});
