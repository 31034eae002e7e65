interface Prompt {
  readonly directives: readonly { readonly name: string; readonly rest: string }[];
  /** All that is not a directive. */
  readonly message: string;
}

/** A line such as "/say hello" is a directive; "/etc/hosts is wrong" is not. */
export function readPrompt(text: string): Prompt {
  const directives: { name: string; rest: string }[] = [];
  const message: string[] = [];
  for (const line of text.split("\n")) {
    const [, name, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (name === undefined) message.push(line);
    else directives.push({ name, rest });
  }
  return { directives, message: message.join("\n").trim() };
}
