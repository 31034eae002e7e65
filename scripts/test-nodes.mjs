#!/usr/bin/env node
// `npm run test:nodes`: several servers on one database, while everything that can fail does. A full run takes about 14 minutes;
// BELAY_NODES_SCALE=0.1 makes it shorter. It is no part of `npm test`.
import { installTools } from "./install-tools.mjs";

installTools({ "redis-server": "redis-server" });
await import("../test/nodes/campaign/run-nodes.ts");
