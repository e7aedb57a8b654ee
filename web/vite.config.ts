import { defineConfig } from "vite";
import { singleFile } from "./single_file";

export default defineConfig({
  plugins: [singleFile()],
  build: {
    outDir: "../build/web",
    emptyOutDir: false, // build/web may hold fixtures of the tests
    target: "es2022",
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { output: { format: "iife", inlineDynamicImports: true } },
  },
  worker: { format: "iife" },
});
