/** The first rule of plain English that a text breaks, of the rules that a program can check; null if it breaks none. */
export function findFault(text: string): string | null {
  for (const sentence of text.split(/(?<=[.!?])\s+/)) {
    if (BAD_OPENER.test(sentence) && !sentence.trimEnd().endsWith("?")) return "starts badly";
  }
  const [word] = BANNED.exec(text) ?? [];
  if (word !== undefined) return `has the word "${word}"`;
  return RAW.test(text) ? "is raw" : null;
}

const BAD_OPENER = /^(?:What|Whoever|Who|Whatever|Of|That there is|There is no)\b/;

/** Words of riddles, and words for which the project has another: start, permission, continue, again, restore. */
const BANNED = new RegExp(
  `\\b(?:${[
    "whoever",
    "nobody",
    "(?:begin|begins|began|begun)(?![-.])",
    "anew",
    "mend(?:s|ed)?",
    "(?:asks?|needs?) (?:for )?(?:your )?leave",
    "(?:is|are|was|were|be) told",
    "none of ours",
    "so already",
    "knows? no",
    "is not known",
    "say not",
    "go(?:es)? on",
    "(?:take|takes|taken) (?:it |one |that )?back",
    "a word since",
    "in the clear",
  ].join("|")})\\b`,
  "i",
);

/** Texts of the schema library. */
const RAW = /Too small|Too big|Invalid input: expected|Unrecognized key/;
