import { existsSync } from "node:fs";
import { defineConfig } from "rolldown";

const entries = Object.entries({ main: "src/main.ts", index: "src/index.ts" });
// A young tree may lack an entry, and `npm ci`, which builds, must work all the same.
const present = entries.filter(([, file]) => existsSync(file));

const bundle = defineConfig({
  input: Object.fromEntries(present),
  platform: "node",
  // pg tries its native twin inside a try block; the bundle never ships it.
  external: [/^node:/, "pg-native"],
  transform: { target: "node24" },
  output: {
    dir: "dist/node",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    cleanDir: true,
  },
  logLevel: "warn",
});

export default present.length > 0 ? bundle : [];
