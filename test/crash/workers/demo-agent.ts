import "../../../src/agent/demo/main.ts";
