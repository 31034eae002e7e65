import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { isRunnable } from "./is-runnable.ts";

/** The parts of the machine that a sandbox shows, besides the programs of the system. */
export interface Sandbox {
  /** The only folder of the machine that its programs can write to. */
  readonly folder: string;
  /** Further files and folders that they can read. */
  readonly reads: readonly string[];
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** The folders with the programs of the system. On most systems, all but the first are links into it. */
export const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"] as const;

/** Settings that programs need for names, addresses, certificates and times. None of them is secret. */
const SYSTEM_SETTINGS = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates.conf",
  "gai.conf",
  "group",
  "host.conf",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "pki/ca-trust",
  "pki/tls/certs",
  "profile",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);

/**
 * The command in a sandbox of bubblewrap: it sees the programs of the system, its own folder and nothing else of the
 * machine, no process outside, and has no capability. It shares the network. When bubblewrap ends, so does everything
 * in it. It cannot create user namespaces: in one of its own it could mount the control groups, and so stop the server.
 */
export function isolate(
  { command, args }: Command,
  { folder, reads }: Sandbox,
  cwd = folder,
): Command {
  const options = [
    ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ["--disable-userns"],
    ["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...SYSTEM_FOLDERS.map(showSystemFolder),
    ...SYSTEM_SETTINGS.map((path) => ["--ro-bind-try", path, path]),
    ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"],
    ...reads.map((path) => ["--ro-bind", path, path]),
    ["--bind", folder, folder, "--remount-ro", "/", "--chdir", cwd],
    // The settings of the kernel in /proc/sys belong to root, and root needs no capability to change them.
    process.getuid?.() === 0 ? ["--remount-ro", "/proc"] : [],
  ];
  return {
    command: findBubblewrap() ?? "bwrap",
    args: [...options.flat(), "--", command, ...args],
  };
}

function showSystemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink()
    ? ["--symlink", readlinkSync(path), path]
    : ["--ro-bind", path, path];
}

/** Starts a sandbox and looks from inside. Returns the reason why it does not isolate; null if it does. */
export function findSandboxProblem(sandbox: Sandbox, hidden: readonly string[]): string | null {
  if (findBubblewrap() === null) {
    return "bubblewrap is not installed (the program bwrap; on Debian: apt-get install bubblewrap)";
  }
  const look = 'for path; do test ! -e "$path" || { echo "$path"; exit 3; }; done; exit 42';
  const paths = hidden.filter((path) => existsSync(path));
  const { command, args } = isolate(
    { command: "/bin/sh", args: ["-c", look, "sh", ...paths] },
    sandbox,
  );
  // Loaded here, because every command loads this file and few start a sandbox.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: {} });
  if (status === 42) return null;
  if (status === 3) return `${stdout.trim()} can be seen in the sandbox`;
  return `bubblewrap failed: ${stderr.trim().slice(0, 500) || `code ${status}`}`;
}

/** Only where the system keeps programs, so that nobody can put another one first. */
function findBubblewrap(): string | null {
  const files = ["/usr/bin", "/bin", "/usr/local/bin"].map((folder) => join(folder, "bwrap"));
  return files.find(isRunnable) ?? null;
}
