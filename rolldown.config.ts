import { hash } from "node:crypto";
import { cpSync, existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { defineConfig } from "rolldown";
import { bundledLicenses } from "./scripts/bundled-licenses.ts";

const entries = Object.entries({
  main: "src/main.ts",
  index: "src/index.ts",
  store: "src/doors/library/store.ts",
  conformance: "src/doors/library/conformance.ts",
});
// A young tree may lack an entry, and `npm ci`, which builds, must work all the same.
const present = entries.filter(([, file]) => existsSync(file));

/** GraphiQL as its packages have it, to be served; src/doors/http/graphiql/graphiql-assets.ts knows them too. */
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

/**
 * Escapes all characters that are not ASCII. The engine keeps the text of a file in memory, and one such character makes
 * each of its characters take two bytes.
 */
function plainCharacters(code: string): string {
  return code.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const bundle = defineConfig({
  input: Object.fromEntries(present),
  platform: "node",
  external: [/^node:/, "vitest"],
  // Its main file requires the others in a way that cannot be bundled.
  resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
  transform: {
    target: "node24",
    define: {
      // Otherwise ws would load two native packages if they happen to be installed beside ours.
      "process.env.WS_NO_BUFFER_UTIL": "'1'",
      "process.env.WS_NO_UTF_8_VALIDATE": "'1'",
      // Otherwise graphql would look for a second copy of itself at each step of a query. A bundle has only one.
      "process.env.NODE_ENV": "'production'",
    },
  },
  plugins: [
    bundledLicenses(),
    { name: "plain-builtins", renderChunk: plainBuiltins },
    {
      // Not in renderChunk, because what that returns is printed again.
      name: "plain-characters",
      generateBundle(_, files) {
        for (const file of Object.values(files)) {
          if (file.type === "chunk") file.code = plainCharacters(file.code);
        }
      },
    },
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
    comments: { jsdoc: false },
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
 * Each way of a hook is one file, because to find and open each takes longer than to read it.
 */
const ways: Readonly<Record<string, readonly string[]>> = {
  "\0leaving": [
    "src/integrations/claude/hooks/leave-in-spool.ts",
    "src/compose-spool.ts",
    "src/compose-local.ts",
  ],
  "\0reading": ["src/integrations/claude/hooks/answer-pre-delegate.ts", "src/compose-hooks.ts"],
  "\0writing": [
    "src/integrations/claude/hooks/watch.ts",
    "src/integrations/write-mirrors.ts",
    "src/compose-sealed.ts",
    "src/service/read/find-mirrors.ts",
    "src/store/sqlite/open-sqlite-store.ts",
    "src/service/access/recorder-store.ts",
  ],
};

/** True if a module loads another before it can run. */
function loads(root: string, id: string, importsOf: (id: string) => readonly string[]): boolean {
  const found = new Set([root]);
  for (const each of found) for (const next of importsOf(each)) found.add(next);
  return found.has(id);
}

const hooks = defineConfig({
  input: { hook: "src/hook.ts" },
  // What the rest shares with the entry stays in it: one file less to load.
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  external: [/^node:(?!crypto$|path$|zlib$)/],
  transform: { target: "node24" },
  plugins: [
    bundledLicenses(),
    {
      name: "own-builtins",
      resolveId: (id, importer = "") => {
        if (!/^node:(?:crypto|path|zlib)$/.test(id)) return null;
        // Encryption and the rules for secrets take the real ones, and are loaded where they are in use.
        if (/\/src\/store\/sealed\/|\/file-seal\.ts$|\/node_modules\//.test(importer)) {
          return { id, external: true };
        }
        return resolve(id.replace("node:", "src/hook-").concat(".ts"));
      },
    },
    {
      name: "one-file-for-each-way",
      resolveId: (id, _, { kind }) => {
        if (kind !== "dynamic-import") return null;
        const isIn = (files: readonly string[]) =>
          files.some((file) => id.endsWith(basename(file)));
        return Object.entries(ways).find(([, files]) => isIn(files))?.[0] ?? null;
      },
      load: (id) =>
        ways[id]?.map((file) => `export * from ${JSON.stringify(resolve(file))};`).join("\n"),
    },
    {
      name: "lazy-builtins",
      renderChunk: (code) =>
        code.replaceAll(/\brequire\((["'`])(node:[\w/]+)\1\)/g, 'lazyBuiltin("$2")'),
    },
    {
      // bin/belay-hook.cjs finds the compiled code of a file by it.
      name: "hash-of-itself",
      generateBundle(_, files) {
        for (const file of Object.values(files)) {
          if (file.type !== "chunk") continue;
          file.code = `//${hash("sha256", file.code).slice(0, 16)}\n${file.code}`;
        }
      },
    },
  ],
  output: {
    dir: "dist/hook",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    codeSplitting: {
      groups: [
        {
          debugName: "ways",
          name: (id, bundle) => {
            const importsOf = (each: string) => bundle.getModuleInfo(each)?.importedIds ?? [];
            const roots = [resolve("src/hook.ts"), ...Object.keys(ways)];
            const way = roots.findIndex((root) => loads(root, id, importsOf));
            // Every hook loads what it needs to leave an event, and to look for those that were left.
            if (id.startsWith("\0rolldown")) return "base";
            return ["base", "base", "reading", "writing"][way] ?? null;
          },
        },
      ],
    },
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
