import { BelayError, refuse } from "../../../contract/errors.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import { COMMANDS } from "../commands.ts";
import { expectArguments } from "../expect-arguments.ts";
import { flagsOf } from "../flags.ts";
import type { OperationCommand } from "../operation-command.ts";
import type { Program } from "../program.ts";

const SHELLS = { bash, zsh, fish } as const;

/** Prints a script that makes a shell complete commands and flags. */
export async function completion(
  args: readonly string[],
  { terminal }: Program,
  others: readonly string[],
): Promise<number> {
  const [shell] = expectArguments("completion bash|zsh|fish", args, 1).positionals;
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") {
    throw new BelayError(refuse("usage", `Usage: belay completion bash|zsh|fish`));
  }
  const words = new Map<string, string[]>(others.map((name) => [name, ["--json", "--help"]]));
  for (const [name, command] of Object.entries(COMMANDS)) words.set(name, flagsFor(command));
  terminal.write(SHELLS[shell](words));
  return 0;
}

function flagsFor(command: OperationCommand): string[] {
  const { shape } = OPERATIONS[command.operation].input;
  const given = [...command.positional, ...Object.keys(command.fixed ?? {})];
  const flags = flagsOf(shape, given, command.flags).map((flag) => `--${flag.name}`);
  return [...flags, "--json", "--help"];
}

/** The first words, and the second words of each. */
function namesOf(words: ReadonlyMap<string, readonly string[]>) {
  const names = [...words.keys()].map((name) => name.split(" "));
  const firsts = [...new Set(names.map(([first = ""]) => first))];
  const seconds = new Map<string, string[]>();
  for (const [first = "", second] of names) {
    if (second) seconds.set(first, [...(seconds.get(first) ?? []), second]);
  }
  return { firsts, seconds };
}

function bash(words: ReadonlyMap<string, readonly string[]>): string {
  const { firsts, seconds } = namesOf(words);
  const flags = [...words].map(([name, of]) => `    "${name}") flags="${of.join(" ")}" ;;`);
  const more = [...seconds].map(([first, of]) => `    ${first}) more="${of.join(" ")}" ;;`);
  return `# belay completion for bash: eval "$(belay completion bash)"
_belay() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags="" more=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firsts.join(" ")}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${more.join("\n")}
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${flags.filter((line) => line.includes(" ", 6) && /"\S+ \S+"\)/.test(line)).join("\n")}
  esac
  [ -n "$flags" ] || case "\${COMP_WORDS[1]}" in
${flags.filter((line) => !/"\S+ \S+"\)/.test(line)).join("\n")}
  esac
  [ "$COMP_CWORD" -eq 2 ] && flags="$flags $more"
  COMPREPLY=($(compgen -W "$flags" -- "$current"))
}
complete -F _belay belay
`;
}

function zsh(words: ReadonlyMap<string, readonly string[]>): string {
  return `# belay completion for zsh: eval "$(belay completion zsh)"
autoload -Uz bashcompinit && bashcompinit
${bash(words)}`;
}

function fish(words: ReadonlyMap<string, readonly string[]>): string {
  const { firsts, seconds } = namesOf(words);
  const lines = [
    "# belay completion for fish: belay completion fish | source",
    "complete -c belay -f",
    `complete -c belay -n __fish_use_subcommand -a "${firsts.join(" ")}"`,
    ...[...seconds].map(
      ([first, of]) =>
        `complete -c belay -n "__fish_seen_subcommand_from ${first}" -a "${of.join(" ")}"`,
    ),
    ...[...words].flatMap(([name, flags]) =>
      flags.map(
        (flag) =>
          `complete -c belay -n "__fish_seen_subcommand_from ${name.split(" ")[0]}" -l ${flag.slice(2)}`,
      ),
    ),
  ];
  return `${[...new Set(lines)].join("\n")}\n`;
}
