/** True if part of a secret is left in a text, however it is escaped: eight characters in a row are too many. */
export function leaked(text: string, secret: string): boolean {
  const pieces = secret.length <= 8 ? [secret] : [...windows(secret, 8)];
  return formsOf(text).some((one) => pieces.some((piece) => one.includes(piece)));
}

/** One text is mostly searched for many secrets. */
let last: { readonly text: string; readonly forms: readonly string[] } | undefined;

/** The text with its escapes undone once, twice and so on. */
function formsOf(text: string): readonly string[] {
  if (last?.text === text) return last.forms;
  // Files of a database are mostly zeros.
  let form = text.replaceAll(/\0{8,}/g, "\0");
  const forms = new Set<string>();
  for (let n = 0; n < 5; n++) {
    forms.add(form);
    form = unescaped(form);
  }
  last = { text, forms: [...forms] };
  return last.forms;
}

function* windows(text: string, size: number): Generator<string> {
  for (let at = 0; at + size <= text.length; at++) {
    const piece = text.slice(at, at + size);
    if (!piece.includes("\n")) yield piece;
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll(/(?:[\w+/-]{76}\n)*[\w+/-]{16,}={0,2}/g, (run) => {
      // A path before it is not part of it.
      for (let start = 0; start < run.length; start = run.indexOf("/", start) + 1 || run.length) {
        const inside = Buffer.from(run.slice(start), "base64").toString("latin1");
        if (/^[\s -~]+$/.test(inside)) return `${run} ${inside}`;
      }
      return run;
    })
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/\\(["\\/])/g, "$1")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}
