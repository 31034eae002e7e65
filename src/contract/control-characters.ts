/** As \p{Cc}, which takes longer to build than a hook to read its payload. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const CONTROL_CHARACTERS = /[\0-\x1f\x7f-\x9f]/;
