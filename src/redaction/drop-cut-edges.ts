/** The mark of a shortened text, as `shortenText` writes it. */
const MARK = / … [\d,.]+ characters? hidden … /;
/** The rest of a word that the cut has left, before and after the mark. */
const LAST_WORD = /[^\s"'`\\]{1,8192}$/;
const FIRST_WORD = /^[^\s"'`\\]{1,8192}/;
/** A key whose other half is hidden. */
const OPEN_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?!.*-----END ).*$/s;
const CLOSED_KEY = /^(?:(?!-----BEGIN ).)*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/s;
const CUT = "[redacted:cut]";

/** A shortened text without the words at its cut: half of a secret looks like no secret, and would stay. */
export function dropCutEdges(text: string): string {
  const mark = MARK.exec(text);
  if (!mark) return text;
  const start = text.slice(0, mark.index);
  const end = text.slice(mark.index + mark[0].length);
  const before = start.replace(OPEN_KEY, CUT).replace(LAST_WORD, CUT);
  const after = end.replace(CLOSED_KEY, CUT).replace(FIRST_WORD, CUT);
  return before + mark[0] + dropCutEdges(after);
}
