interface Flag {
  readonly doc: string;
  /** The name of its value in the help; a flag without one is a switch. */
  readonly takes?: string;
}

/** The faults that the demo agent can show. Each was seen in a real agent. */
export const FLAGS = {
  pace: { takes: "MS", doc: "wait this long between two pieces of an answer" },

  "init-delay": { takes: "MS", doc: "answer initialize late" },
  "never-initialize": { doc: "never answer initialize" },
  "exit-on-initialize": { doc: "exit with code 1 on the request initialize" },
  "login-required": { doc: "refuse new sessions and prompts with -32000 until a client logs in" },
  noise: { doc: "print lines that are not JSON before each message on stdout" },

  "no-load": { doc: "do not support session/load" },
  "no-resume": { doc: "do not support session/resume" },
  "no-close": { doc: "do not support session/close" },
  "load-fails": { takes: "CODE", doc: "answer session/load with this error code" },
  "load-hangs": { doc: "never answer session/load" },
  "resume-fails": { takes: "CODE", doc: "answer session/resume with this error code" },
  "resume-hangs": { doc: "never answer session/resume" },
  "late-replay": { doc: "send half of the replay after the answer to session/load" },
  "minute-bug": {
    doc: "fail to load a session that was created in this clock minute, and delete it",
  },
  single: { doc: "refuse a session that another living process has open" },

  "forget-prompt": { doc: "write a prompt to memory only when its turn has ended" },
  "forget-mode": { doc: "reopen each session in mode ask" },
  "wordy-failure": { doc: "answer /fail with a sentence, end_turn and no usage" },
  "total-usage": { doc: "report the usage of all turns so far, not that of the turn" },
  "usage-in-updates": {
    doc: "report the usage with an empty message, and none at the end of the turn",
  },
  "silent-failure": { doc: "answer /fail with end_turn and without a text" },

  "ask-always": { doc: "ask permission for everything, including reading" },
  "no-in-progress": { doc: "let tool calls go from pending directly to their end" },
  "permission-first": { doc: "ask permission before announcing the tool call" },

  relaunch: { doc: "run as a child process of itself" },
  "ignore-term": { doc: "do not end on SIGTERM" },
  "ignore-end": { doc: "do not end when stdin ends" },
} as const satisfies Record<string, Flag>;

type Name = keyof typeof FLAGS;
type ValueName = { [K in Name]: (typeof FLAGS)[K] extends { takes: string } ? K : never }[Name];
type SwitchName = Exclude<Name, ValueName>;

export interface Flags {
  has(name: SwitchName): boolean;
  /** Null if it was not given. */
  valueOf(name: ValueName): number | null;
}

/** The parsed command line, or a sentence about the problem. */
export function readFlags(args: readonly string[]): Flags | string {
  const switches = new Set<string>();
  const values = new Map<string, number>();
  const known: Readonly<Record<string, Flag>> = FLAGS;
  const left = args.flatMap((arg) => (/^--[^=]+=/.test(arg) ? splitAtEquals(arg) : [arg]));
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const name = arg.replace(/^--/, "");
    const flag = arg.startsWith("--") && Object.hasOwn(known, name) ? known[name] : undefined;
    if (!flag) return `there is no ${arg}`;
    if (!flag.takes) {
      switches.add(name);
      continue;
    }
    const value = Number(left.shift() || Number.NaN);
    if (!Number.isSafeInteger(value)) return `${arg} needs ${flag.takes}, a whole number`;
    values.set(name, value);
  }
  return {
    has: (name) => switches.has(name),
    valueOf: (name) => values.get(name) ?? null,
  };
}

function splitAtEquals(arg: string): string[] {
  const at = arg.indexOf("=");
  return [arg.slice(0, at), arg.slice(at + 1)];
}
