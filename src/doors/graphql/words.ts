/** `next_cursor` becomes `nextCursor`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `next_cursor` becomes `NextCursor`, as part of a type's name. */
export function pascalCase(name: string): string {
  return camelCase(`_${name}`);
}

/** Converts a word of the model to an enum value: `manual-review` becomes `MANUAL_REVIEW`. */
export function enumName(word: string): string {
  return word.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
}
