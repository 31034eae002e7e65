#!/usr/bin/env node
// The installed hooks start here: CommonJS starts faster than a module, and an agent waits. Everything unusual is left to
// belay.mjs, which also starts on an old Node.
"use strict";

/** In seconds. After this time the compiled code is not stored: the agent would wait for a slow disk. */
const SOON = 0.5;
const [major, minor] = process.versions.node.split(".").map(Number);
let isStarted = false;
if (major > 24 || (major === 24 && minor >= 15)) {
  try {
    const { runHookProcess } = bundleLoader(`${__dirname}/../dist/hook/`)("./hook.cjs");
    isStarted = true;
    runHookProcess(process.argv.slice(3)).catch(fail);
  } catch (error) {
    if (error.code !== "ENOENT") isStarted = fail(error);
  }
}
if (!isStarted) import("./belay.mjs").catch(fail);

/**
 * Loads the files of the bundle with their compiled code. Node's own cache has only the functions that are compiled when a
 * file is loaded; this one also has those that an earlier hook has called. It is inside the package, not in a shared
 * folder, where another user could plant compiled code.
 */
function bundleLoader(folder) {
  const fs = process.getBuiltinModule("node:fs");
  const { Script } = process.getBuiltinModule("node:vm");
  // Questions call few functions of the files that they share with recording, and each takes time to load.
  const way = process.argv[3] === "pre-delegate" ? "-ask" : "";
  const scripts = new Map();
  let isNew = false;
  process.once("exit", save);
  return load;

  function load(path) {
    const known = scripts.get(path);
    if (known) return known.exports;
    const filename = folder + path.slice(2);
    const text = fs.readFileSync(filename, "utf8");
    // The file starts with a hash of itself, in a comment.
    const cache = `${folder}.cache/${text.slice(2, 18)}-${process.version}${way}`;
    const cachedData = readCache(cache);
    const source = `(function (exports, require) {${text}\n})`;
    const script = new Script(source, { filename, cachedData });
    if (!cachedData || script.cachedDataRejected) isNew = true;
    const exports = {};
    scripts.set(path, { exports, script, cache });
    script.runInThisContext()(exports, load);
    return exports;
  }

  /** V8 fails on damaged code, so each file has two copies. To compare them takes less time than a checksum. */
  function readCache(path) {
    try {
      const copies = fs.readFileSync(path);
      const [first, second] = [
        copies.subarray(0, copies.length / 2),
        copies.subarray(copies.length / 2),
      ];
      return first.equals(second) ? first : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes all files again if one of them is new, because this hook has also called functions of the others. */
  function save() {
    if (!isNew || process.uptime() > SOON) return;
    try {
      fs.mkdirSync(`${folder}.cache`, { recursive: true, mode: 0o700 });
      for (const { script, cache } of scripts.values()) {
        const temporary = `${cache}.${process.pid}`;
        const code = script.createCachedData();
        fs.writeFileSync(temporary, Buffer.concat([code, code]), { mode: 0o600, flush: true });
        fs.renameSync(temporary, cache);
      }
    } catch {
      // Without the cache the next hook takes longer.
    }
  }
}

/** A hook must not break the agent that called it, whatever is missing here. */
function fail(error) {
  process.stderr.write(`belay: ${error.message}\n`);
  process.exit(0);
}
