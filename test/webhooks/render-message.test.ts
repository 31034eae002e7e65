import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStoredRedaction } from "../../src/redaction/stored-redaction.ts";
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
    const short = renderMessage("{{a}}!", { a: long });
    expect(short.length).toBeLessThanOrEqual(16_001);
    expect(short).toContain("characters hidden");
    expect(renderMessage("{{a}}".repeat(100), { a: long }).length).toBeLessThanOrEqual(64_000);
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

  it("marks the place where it was shortened, so that redaction leaves no half of a secret", () => {
    const secret = "AKIAZ7QRT5WXY2MNP4KJ";
    const redaction = openStoredRedaction({});
    // The secret is moved across the cut, and across the limit.
    const places = Array.from({ length: 50 }, (_, n) => [7940 + 2 * n, 15_940 + n]).flat();
    for (const before of places) {
      const text = `${"x".repeat(before)} ${secret} ${"y".repeat(30_000)}`;
      const stored = redaction.text(renderMessage("{{text}} is the report", { text }));
      expect(stored).not.toContain(secret.slice(0, 8));
    }
  });
});
