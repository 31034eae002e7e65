import fc from "fast-check";
import { z } from "zod";
import { anyJson, anyText } from "./arbitrary-text.ts";

/** Any value that a schema of the contract allows. Throws on an unknown kind of schema, rather than skip it. */
export function anyOf(schema: unknown): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) return anyObject(schema);
  if (schema instanceof z.ZodOptional) return anyOf(schema.unwrap());
  if (schema instanceof z.ZodNullable) return fc.option(anyOf(schema.unwrap()), { nil: null });
  if (schema instanceof z.ZodArray) return fc.array(anyOf(schema.element), { maxLength: 3 });
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodString) return fc.oneof(anyText, likelyId);
  if (schema instanceof z.ZodNumber) return anyNumber;
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodUnknown) return anyJson;
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  throw new Error("a schema that no arbitrary is written for");
}

/** Ids of random sessions, so that events match open items. */
const likelyId = fc
  .tuple(fc.constantFrom("turn", "action", "approval"), fc.nat({ max: 30 }))
  .map(([word, nth]) => `${word}-${nth}`);

const anyNumber = fc.oneof(
  fc.nat(),
  fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
  fc.double({ min: 0, max: 1e15, noNaN: true }),
);

function anyObject(schema: z.ZodObject): fc.Arbitrary<unknown> {
  const entries = Object.entries(schema.shape);
  const required = entries.filter(([, member]) => !(member instanceof z.ZodOptional));
  return fc.record(Object.fromEntries(entries.map(([key, member]) => [key, anyOf(member)])), {
    requiredKeys: required.map(([key]) => key),
  });
}
