import { describe, expect, it } from "vitest";
import { SCOPES } from "../../src/contract/vocabulary.ts";
import { openServer } from "../http/open-server.ts";

const SECRETS = ["zebrafish-token", "zebrafish.example", "zebrafish-hook"];

describe("stored data of tokens and webhooks", () => {
  it("is shown only to admins, by any door", async () => {
    const { ask, service, tokens } = await openServer();
    const ann = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
    await service.call("create_token", { name: SECRETS[0] }, ann);
    const url = "http://127.0.0.1:9/zebrafish.example";
    await service.call("add_webhook", { url, on: ["session.failed"], allow_private: true }, ann);
    const accepted = { name: SECRETS[2], preset: "github", agent_name: "demo" };
    await service.call("accept_webhook", accepted, ann);
    const query = "{ audit { events { data } } events { events { data } } }";
    for (const scope of SCOPES) {
      const token = tokens.ann[scope];
      const rest = await ask("GET", "/audit", { token });
      const feed = await ask("GET", "/events", { token });
      const graphql = await ask("POST", "/graphql", { token, body: { query } });
      for (const secret of SECRETS) {
        const seen = [rest, feed, graphql].map(({ text }) => text.includes(secret));
        expect([scope, secret, ...seen]).toEqual([
          scope,
          secret,
          scope === "admin",
          false,
          scope === "admin",
        ]);
      }
    }
    expect((await ask("GET", "/audit", { token: tokens.bob.admin })).text).not.toContain(
      "zebrafish",
    );
  });
});
