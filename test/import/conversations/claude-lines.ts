/** Builds transcripts as Claude Code writes them. */
export class ClaudeLines {
  readonly records: Record<string, unknown>[] = [];
  readonly session: string;
  #last: string | null = null;
  #minute = 0;
  #n = 0;

  constructor(session: string) {
    this.session = session;
  }

  /** The uuid of the nth record of this transcript. */
  id(n: number): string {
    return `${this.session.slice(0, 8)}-0000-4000-8000-${String(n).padStart(12, "0")}`;
  }

  get last(): string | null {
    return this.#last;
  }

  user(content: unknown, more: Record<string, unknown> = {}): string {
    return this.add({ type: "user", message: { role: "user", content }, ...more });
  }

  says(text: string, more: Record<string, unknown> = {}): string {
    return this.assistant([{ type: "text", text }], { stop_reason: "end_turn" }, more);
  }

  calls(id: string, name: string, input: unknown, message = `msg_${id}`): string {
    return this.assistant([{ type: "tool_use", id, name, input }], {
      id: message,
      stop_reason: "tool_use",
    });
  }

  returns(id: string, content: unknown, more: Record<string, unknown> = {}): string {
    const { is_error, ...rest } = more;
    const block = {
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(is_error ? { is_error } : {}),
    };
    return this.user([block], rest);
  }

  assistant(
    content: unknown,
    message: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ): string {
    return this.add({
      type: "assistant",
      message: {
        id: `msg_${this.#n}`,
        role: "assistant",
        model: "claude-test",
        content,
        usage: { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 5 },
        ...message,
      },
      ...more,
    });
  }

  add(record: Record<string, unknown>): string {
    this.#n += 1;
    this.#minute += 1;
    const uuid = this.id(this.#n);
    this.records.push({
      parentUuid: this.#last,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ann/shop",
      sessionId: this.session,
      version: "2.1.0",
      gitBranch: "main",
      uuid,
      timestamp: new Date(Date.UTC(2026, 0, 5, 10, this.#minute)).toISOString(),
      ...record,
    });
    this.#last = uuid;
    return uuid;
  }
}
