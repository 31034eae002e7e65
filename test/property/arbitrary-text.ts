import fc from "fast-check";

/** Texts of people, programs and accidents: any script, control characters, half characters, nothing. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 24 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 24 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 24 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "\0", '"\\', "\ud800", "__proto__", "x".repeat(3000)),
  },
);

export const orNothing = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { nil: null });

/** A JSON object, as it comes out of a parser. */
export const anyJson: fc.Arbitrary<Record<string, unknown>> = fc
  .dictionary(
    fc.oneof(anyText, fc.constantFrom("a", "b", "run_id")),
    fc.jsonValue({ maxDepth: 2 }),
    {
      maxKeys: 4,
    },
  )
  .map((value) => JSON.parse(JSON.stringify(value)));
