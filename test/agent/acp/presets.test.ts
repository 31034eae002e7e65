import { describe, expect, it } from "vitest";
import { PRESETS } from "../../../src/agent/acp/presets.ts";
import { QUIRKS } from "../../../src/agent/acp/quirks.ts";
import type { AgentPreset } from "../../../src/agent/agent-preset.ts";

const presets: [string, AgentPreset][] = Object.entries(PRESETS);

describe("the presets", () => {
  it("have their own quirks; an agent without a preset has the plain ones", () => {
    expect(["plain", ...presets.map(([name]) => name)].sort()).toEqual(Object.keys(QUIRKS).sort());
  });

  it.each(presets)("pass to %s only its own environment variables", (_name, { pass_env }) => {
    for (const pattern of pass_env) expect(pattern).toMatch(/^[A-Z][A-Z0-9]*_[A-Z_]*\*?$/);
  });

  it("stop gemini from relaunching itself", () => {
    expect(PRESETS.gemini.env).toEqual({ GEMINI_CLI_NO_RELAUNCH: "true" });
  });
});
