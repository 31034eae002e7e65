import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isRunnable } from "./is-runnable.ts";

/**
 * Runs a command as the child of a small supervisor that the system makes the parent of every orphan below it (a
 * subreaper). So no process can leave the tree, not even a daemon that forks twice, starts a session of its own and
 * clears its environment. When the command ends, the supervisor ends all remaining processes and exits the same way;
 * when the supervisor is killed, so is the command. Node cannot request this from the system; Perl can, and most Linux
 * systems have it.
 *
 * With a deadline, the supervisor kills everything at that time, measured by the uptime of the machine, and then exits
 * by the signal DEADLINE_SIGNAL. The process that started it extends the deadline by writing a later one to descriptor 3.
 * When that descriptor closes, the process is gone, and the supervisor kills everything at once.
 */
const SUPERVISOR = `
my ($prctl, $until, @command) = @ARGV;
$0 = "belay-supervisor";
if (syscall($prctl, 36, 1, 0, 0, 0) != 0) { exec { $command[0] } @command; exit 127 }
my $main = fork;
exit 127 unless defined $main;
if ($main == 0) {
  syscall($prctl, 1, 9, 0, 0, 0);
  exit 127 if getppid() == 1;
  if ($until) { open my $beat, "<&=", 3; close $beat }
  exec { $command[0] } @command;
  print STDERR "cannot run $command[0]: $!\\n";
  exit 127;
}
$SIG{TERM} = sub { kill "TERM", $main };
$SIG{$_} = "IGNORE" for qw(INT HUP QUIT PIPE);
open $_, "+<", "/dev/null" for *STDIN, *STDOUT, *STDERR;
my ($status, $signal, %asked);
my $rounds = $until ? watch() : 0;
while (!defined $status) {
  my $ended = waitpid(-1, 0);
  $status = $? if $ended == $main;
  last if $ended < 0 && $! != 4;
}
$SIG{TERM} = "IGNORE";
for (; ; $rounds++) {
  1 while waitpid(-1, 1) > 0;
  my @left = below($$) or last;
  kill "KILL", @left if $rounds >= 50;
  kill "TERM", $_ for grep { !$asked{$_}++ } @left;
  select undef, undef, undef, 0.02;
}
$signal ||= $status & 127;
if ($signal) { $SIG{$_} = "DEFAULT" for qw(TERM INT HUP QUIT PIPE ALRM); kill $signal, $$; sleep 1 }
exit $status >> 8;

sub watch {
  open my $beat, "<&=", 3;
  $SIG{CHLD} = sub {};
  my $heard = "";
  while (1) {
    while ((my $ended = waitpid(-1, 1)) > 0) { $status = $? if $ended == $main }
    return 0 if defined $status;
    my $left = $until / 1000 - up();
    if ($left <= 0) { $signal = 14; last }
    my $in = "";
    vec($in, 3, 1) = 1;
    next if select($in, undef, undef, $left < 0.5 ? $left : 0.5) <= 0;
    my $got = sysread $beat, $heard, 4096, length $heard;
    last if defined $got ? $got == 0 : $! != 4;
    $until = $1 while $heard =~ s/^(\\d+)\\n//;
  }
  kill "KILL", $main;
  return 50;
}

sub up {
  open my $file, "<", "/proc/uptime" or return 0;
  return (split " ", <$file>)[0];
}

sub below {
  my (%children, @found);
  for my $path (glob "/proc/[0-9]*/stat") {
    open my $file, "<", $path or next;
    my $stat = do { local $/; <$file> } // next;
    push @{ $children{$3} }, $1 if $stat =~ /^(\\d+) .*\\) ([^ZX]) (\\d+) /s;
  }
  my @open = @{ $children{$_[0]} || [] };
  while (defined(my $next = shift @open)) { push @found, $next; push @open, @{ $children{$next} || [] } }
  return @found;
}
`;

/** The signal 14, by which a supervisor ends after it has killed everything at the deadline. */
export const DEADLINE_SIGNAL = "SIGALRM";

const SUPERVISORS = ["belay-superviso", "bwrap"];
const PERL = "/usr/bin/perl";
/** The number of the system call prctl. */
const PRCTL = new Map([
  ["x64", "157"],
  ["arm64", "167"],
]);

/**
 * True if a process is such a supervisor or a sandbox, by the first 15 letters of its name, which is all the system
 * stores. Both end with their command.
 */
export function isSupervisor(pid: number): boolean {
  try {
    return SUPERVISORS.includes(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
  } catch {
    return false;
  }
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command under a supervisor; unchanged if there can be none, or if the command cannot be run anyway. With a deadline
 * (milliseconds of the machine's uptime), the supervisor reads later deadlines from descriptor 3.
 */
export function supervise(
  { command, args }: Command,
  env: NodeJS.ProcessEnv,
  cwd: string,
  deadline?: number,
): Command {
  const prctl = process.platform === "linux" ? PRCTL.get(process.arch) : undefined;
  const file = findFile(command, env.PATH ?? "", cwd);
  if (prctl === undefined || file === null || !isRunnable(PERL)) return { command, args };
  return {
    command: PERL,
    args: ["-e", SUPERVISOR, "--", prctl, writeDeadline(deadline), file, ...args],
  };
}

/** A deadline in the form that the supervisor reads; empty if there is none. */
export function writeDeadline(at: number | undefined): string {
  return at === undefined ? "" : `${Math.max(1, Math.floor(at))}`;
}

/** Looks up a command like the system does; null if it finds none. */
function findFile(command: string, path: string, cwd: string): string | null {
  if (command.includes("/")) {
    const file = isAbsolute(command) ? command : join(cwd, command);
    return isRunnable(file) ? file : null;
  }
  const files = path.split(":").map((folder) => join(folder || cwd, command));
  return files.find(isRunnable) ?? null;
}
