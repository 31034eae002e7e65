import { describe, expect, it } from "vitest";
import { visibleProps } from "../../web/src/visible-jsx/visible-props.ts";

describe("the properties of an element", () => {
  it("stay identical if nothing is hidden", () => {
    const props = { title: "Größe · 2", children: ["a", ["日本", false], 3] };
    expect(visibleProps("p", props)).toBe(props);
  });

  it("show hidden characters of a text, and do not change the input", () => {
    const nested = ["b\u200b", "c"];
    const props = { title: "a\u202e", className: "x", children: ["a\r\nb", nested] };
    expect(visibleProps("p", props)).toEqual({
      title: "a⟦U+202E⟧",
      className: "x",
      children: ["a\nb", ["b⟦U+200B⟧", "c"]],
    });
    expect(nested).toEqual(["b\u200b", "c"]);
    expect(props.children).toEqual(["a\r\nb", nested]);
  });

  it("stay unchanged for components", () => {
    const component = () => null;
    expect(visibleProps(component, { title: "a\u202e", children: "b\u00ad" })).toEqual({
      title: "a\u202e",
      children: "b⟦U+00AD⟧",
    });
  });
});
