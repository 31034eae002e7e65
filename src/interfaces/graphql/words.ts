/** `next_cursor` is `nextCursor` here. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `next_cursor` is `NextCursor` as part of a type's name. */
export function pascalCase(name: string): string {
  return camelCase(`_${name}`);
}

/** A word of the model as a value of an enum: `manual-review` is `MANUAL_REVIEW`. */
export function enumName(word: string): string {
  return word.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
}
