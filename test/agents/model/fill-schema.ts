import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fieldsOf, listOf, textOf } from "../../../src/agent/acp/read-fields.ts";

/** An object that fits a JSON schema: the given fields, and a value for every other required one. */
export function fillSchema(schema: Fields, given: Fields): Fields {
  const properties = fieldsOf(schema.properties);
  const missing = listOf(schema.required).flatMap((name) => {
    const key = textOf(name);
    return key === null || key in given ? [] : [[key, anyValue(fieldsOf(properties[key]))]];
  });
  return { ...Object.fromEntries(missing), ...given };
}

function anyValue(schema: Fields): unknown {
  const [choice] = listOf(schema.enum);
  if (choice !== undefined) return choice;
  switch (textOf(schema.type)?.toLowerCase()) {
    case "boolean":
      return false;
    case "number":
    case "integer":
      return 1;
    case "array":
      return [];
    case "object":
      return fillSchema(schema, {});
    default:
      return "anything";
  }
}
