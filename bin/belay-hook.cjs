#!/usr/bin/env node
// The installed hooks start here: CommonJS starts faster than a module, and an agent waits. Everything unusual is left to
// belay.mjs, which also starts on an old Node.
"use strict";

const [major, minor] = process.versions.node.split(".").map(Number);
let isStarted = false;
if (major > 24 || (major === 24 && minor >= 15)) {
  try {
    require("node:module").enableCompileCache(`${__dirname}/../dist/hook/.cache`);
    const { runHookProcess } = require("../dist/hook/hook.cjs");
    isStarted = true;
    runHookProcess(process.argv.slice(3));
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") isStarted = fail(error);
  }
}
if (!isStarted) import("./belay.mjs").catch(fail);

/** A hook must not break the agent that called it, whatever is missing here. */
function fail(error) {
  process.stderr.write(`belay: ${error.message}\n`);
  process.exit(0);
}
