import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderMessage, textAt } from "../../src/server/webhooks/render-message.ts";

const payload = {
  issue: { title: "It breaks", number: 12, labels: [{ name: "bug" }], open: true, body: null },
  "a.b": "dotted",
  "c/d~e": "escaped",
};

describe("a template", () => {
  it("gets values by paths with dots or slashes, also from lists", () => {
    const template =
      "{{issue.title}} {{ issue.number }} {{/issue/labels/0/name}} {{/a.b}} {{/c~1d~0e}}";
    expect(renderMessage(template, payload)).toBe("It breaks 12 bug dotted escaped");
  });

  it("leaves out missing values", () => {
    const template = "[{{nothing}}{{issue.body}}{{issue.title.length}}{{issue.labels.9.name}}]";
    expect(renderMessage(template, payload)).toBe("[]");
  });

  it.each([
    "__proto__",
    "constructor.name",
    "issue.__proto__.toString",
    "toString",
    "issue.labels.length",
  ])("finds nothing at %s", (path) => expect(textAt(payload, path)).toBe(""));

  it("treats every value as text", () => {
    const secret = "not for this message";
    const values = ["{{secret}}", "{{ secret }}", "$&$1$`$'", "{{{{secret}}}}", "{{title}}"];
    for (const title of values) {
      expect(renderMessage("a {{title}} b", { title, secret })).toBe(`a ${title} b`);
    }
    const halves = { a: "{{sec", b: "ret}}", secret };
    expect(renderMessage("{{a}}{{b}}", halves)).toBe("{{secret}}");
  });

  it("shows control and direction characters as numbers, and keeps line breaks", () => {
    const title = "a\u001b[31mb\r\nd\te\u202ef\u200bg\ud800";
    expect(renderMessage("{{title}}", { title })).toBe(
      "a⟦U+001B⟧[31mb\nd\te⟦U+202E⟧f⟦U+200B⟧g⟦U+D800⟧",
    );
  });

  it("has limits for each value and in total", () => {
    const long = "x".repeat(1_000_000);
    expect(renderMessage("{{a}}!", { a: long })).toHaveLength(16_001);
    expect(renderMessage("{{a}}".repeat(100), { a: long })).toHaveLength(64_000);
  });

  it("contains only values that it names", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (title, body) => {
        const secret = "5ecret-that-nobody-named";
        const rendered = renderMessage("{{title}}\n{{body}}", { title, body, secret });
        expect(rendered).not.toContain(secret);
      }),
    );
  });
});
