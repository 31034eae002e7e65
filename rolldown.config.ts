import { cpSync, existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { defineConfig } from "rolldown";
import { bundledLicenses } from "./scripts/bundled-licenses.ts";

const entries = Object.entries({
  main: "src/main.ts",
  index: "src/index.ts",
  store: "src/library/store.ts",
  conformance: "src/library/conformance.ts",
});
// A young tree may lack an entry, and `npm ci`, which builds, must work all the same.
const present = entries.filter(([, file]) => existsSync(file));

/** GraphiQL as its packages have it, to be served; src/interfaces/http/graphiql/graphiql-assets.ts knows them too. */
const graphiql = [
  "react/umd/react.production.min.js",
  "react-dom/umd/react-dom.production.min.js",
  "graphiql/graphiql.min.js",
  "graphiql/graphiql.min.css",
];

const LIST = /^import \{([^}]*)\} from "(node:[\w/]+)";$/gm;
const WHOLE = /^import (?:\* as )?([\w$]+) from "(node:[\w/]+)";$/gm;
const BARE = /^import "node:[\w/]+";$/gm;

/**
 * Loads builtins without their ES module, which computes each export, used or not: that of node:http loads all of fetch.
 * It saves each command about 50 ms of its start.
 */
function plainBuiltins(code: string): string {
  return code
    .replaceAll(LIST, (_, names: string, id: string) => {
      const renamed = names.replaceAll(/ as /g, ": ");
      return `const {${renamed}} = globalThis.process.getBuiltinModule("${id}");`;
    })
    .replaceAll(WHOLE, 'const $1 = globalThis.process.getBuiltinModule("$2");')
    .replaceAll(BARE, "");
}

const bundle = defineConfig({
  input: Object.fromEntries(present),
  platform: "node",
  external: [/^node:/, "vitest"],
  // Its main file requires the others in a way that cannot be bundled.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  transform: {
    target: "node24",
    // Otherwise ws would load two native packages if they happen to be installed beside ours.
    define: { "process.env.WS_NO_BUFFER_UTIL": "'1'", "process.env.WS_NO_UTF_8_VALIDATE": "'1'" },
  },
  plugins: [
    bundledLicenses(),
    { name: "plain-builtins", renderChunk: plainBuiltins },
    {
      name: "copy-graphiql",
      writeBundle() {
        for (const file of graphiql) {
          cpSync(`node_modules/${file}`, `dist/graphiql/${basename(file)}`);
        }
        for (const name of ["react", "react-dom", "graphiql"]) {
          cpSync(`node_modules/${name}/LICENSE`, `dist/graphiql/${name}.LICENSE`);
        }
      },
    },
  ],
  output: {
    dir: "dist/node",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    cleanDir: true,
    // What nearly every command loads is one file: to find and open each takes longer than to read it.
    codeSplitting: {
      groups: [
        {
          name: "base",
          test: /\/src\/(?:contract|core|files|process|service|store\/(?:codec|log)|store\/[a-z-]+\.ts)/,
          minShareCount: 2,
        },
      ],
    },
  },
  logLevel: "warn",
});

/**
 * Hooks have a bundle of their own, made to start fast: CommonJS, because a builtin that an ES module imports is loaded
 * with all that it could export; and each builtin only when it is used, for crypto alone takes longer than an answer.
 */
const writing = [
  "src/integrations/claude/hooks/watch.ts",
  "src/integrations/write-mirrors.ts",
  "src/store/sqlite/open-sqlite-store.ts",
  "src/service/recorder-store.ts",
];

const hooks = defineConfig({
  input: { hook: "src/hook.ts" },
  // What the rest shares with the entry stays in it: one file less to load.
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  external: [/^node:(?!crypto$|zlib$)/],
  transform: { target: "node24" },
  plugins: [
    bundledLicenses(),
    {
      name: "own-builtins",
      resolveId: (id, importer = "") => {
        if (!/^node:(?:crypto|zlib)$/.test(id)) return null;
        // Encryption takes the real ones, and is loaded where there is some.
        if (/\/src\/store\/sealed\/|\/file-seal\.ts$/.test(importer)) return { id, external: true };
        return resolve(id.replace("node:", "src/hook-").concat(".ts"));
      },
    },
    {
      // All that only a writing hook loads is one file: to find and open each takes longer than to read it.
      name: "one-file-for-writing",
      resolveId: (id, _, { kind }) =>
        kind === "dynamic-import" && writing.some((file) => id.endsWith(basename(file)))
          ? "\0writing"
          : null,
      load: (id) =>
        id === "\0writing"
          ? writing.map((file) => `export * from ${JSON.stringify(resolve(file))};`).join("\n")
          : null,
    },
    {
      name: "lazy-builtins",
      renderChunk: (code) =>
        code.replaceAll(/\brequire\((["'`])(node:[\w/]+)\1\)/g, 'lazyBuiltin("$2")'),
    },
  ],
  output: {
    dir: "dist/hook",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    intro: `const lazyBuiltin = (id, loaded) =>
      new Proxy({}, { get: (_, name) => (loaded ??= globalThis.process.getBuiltinModule(id))[name] });`,
    minify: true,
    cleanDir: true,
  },
  logLevel: "warn",
});

export default [
  ...(present.length > 0 ? [bundle] : []),
  ...(existsSync("src/hook.ts") ? [hooks] : []),
];
