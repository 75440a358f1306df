import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The page, built into the package. Nothing is inlined: the server's policy allows scripts and styles from files only. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    rollupOptions: { input: { index: "web/index.html", diagram: "web/diagram.html" } },
  },
});
