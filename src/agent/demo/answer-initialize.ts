import { setTimeout } from "node:timers/promises";
import { type InitializeResponse, PROTOCOL_VERSION } from "@agentclientprotocol/sdk/unstable";
import type { DemoAgent } from "./demo-agent.ts";
import { forever } from "./forever.ts";

export async function answerInitialize({ flags, exit }: DemoAgent): Promise<InitializeResponse> {
  if (flags.has("exit-on-initialize")) {
    process.stderr.write("demo agent: something is badly wrong, giving up\n");
    exit(1);
    await forever();
  }
  if (flags.has("never-initialize")) await forever();
  await setTimeout(flags.valueOf("init-delay") ?? 0);
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "belay-demo", title: "Demo agent", version: "1.0.0" },
    agentCapabilities: {
      loadSession: !flags.has("no-load"),
      sessionCapabilities: {
        list: {},
        ...(flags.has("no-resume") ? {} : { resume: {} }),
        ...(flags.has("no-close") ? {} : { close: {} }),
      },
    },
    authMethods: flags.has("login-required") ? [{ id: "demo", name: "Log in to nothing" }] : [],
  };
}
