import { describe, expect, it } from "vitest";
import { cleanEnvironment } from "../../../src/drive/agents/clean-environment.ts";

const given = { pass_env: ["ANTHROPIC_*", "TOKEN", "*_X"], env: {}, home: "/h", session_id: "s-1" };

describe("an agent's environment", () => {
  it.each([
    ["PATH", true],
    ["HOME", true],
    ["USER", true],
    ["LOGNAME", true],
    ["SHELL", true],
    ["LANG", true],
    ["LC_ALL", true],
    ["LC_TIME", true],
    ["TERM", true],
    ["TMPDIR", true],
    ["TZ", true],
    ["XDG_CONFIG_HOME", true],
    ["HTTP_PROXY", true],
    ["https_proxy", true],
    ["NO_PROXY", true],
    ["all_proxy", true],
    ["SSL_CERT_FILE", true],
    ["SSL_CERT_DIR", true],
    ["NODE_EXTRA_CA_CERTS", true],
    ["ANTHROPIC_API_KEY", true],
    ["TOKEN", true],
    ["TOKEN_2", false],
    ["MY_ANTHROPIC_KEY", false],
    ["A_X", false],
    ["PATHS", false],
    ["LANGUAGE", false],
    ["NODE_OPTIONS", false],
    ["NODE_PATH", false],
    ["npm_config_registry", false],
    ["npm_lifecycle_event", false],
    ["BELAY_TOKEN", false],
    ["BELAY_OWNER", false],
    ["CLAUDECODE", false],
    ["LD_PRELOAD", false],
    ["GITHUB_TOKEN", false],
  ])("includes %s: %s", (name, passes) => {
    expect(Object.hasOwn(cleanEnvironment({ [name]: "v" }, given), name)).toBe(passes);
  });

  it.each(["NODE_OPTIONS", "npm_config_registry", "BELAY_TOKEN", "CLAUDECODE"])(
    "does not include %s even if everything is passed",
    (name) => {
      const all = cleanEnvironment({ [name]: "v", OTHER: "o" }, { ...given, pass_env: ["*"] });
      expect(all).toEqual({ OTHER: "o", BELAY_HOME: "/h", BELAY_SESSION_ID: "s-1" });
    },
  );

  it("always names Belay's data folder and its session", () => {
    const env = { BELAY_HOME: "/elsewhere", LANG: "C" };
    const ours = { BELAY_SESSION_ID: "outer", LANG: "de_DE.UTF-8" };
    expect(cleanEnvironment(ours, { ...given, env })).toEqual({
      LANG: "C",
      BELAY_HOME: "/h",
      BELAY_SESSION_ID: "s-1",
    });
  });
});
