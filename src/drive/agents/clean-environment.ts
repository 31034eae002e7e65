/** What any program needs to run as its user would run it. A `*` at the end stands for any rest. */
const ALWAYS_PASSED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_*",
  "TERM",
  "TMPDIR",
  "TZ",
  "XDG_*",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_*",
  "NODE_EXTRA_CA_CERTS",
] as const;

/**
 * Ours and nobody else's, whatever pattern they fit: what changes how any Node runs, what npm left behind, the key to a
 * server, and what would make an agent think that it runs inside of another.
 */
const NEVER_PASSED = ["NODE_OPTIONS", "npm_*", "BELAY_TOKEN", "CLAUDECODE"] as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** All that an agent's process is given; it inherits nothing beside it. */
export function cleanEnvironment(
  ours: Variables,
  given: {
    readonly pass_env: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly home: string;
    readonly session_id: string;
  },
): Record<string, string> {
  const passed = [...ALWAYS_PASSED, ...given.pass_env];
  const inherited = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && fits(name, passed) && !isNeverPassed(name) ? [[name, value]] : [],
  );
  return {
    ...Object.fromEntries(inherited),
    ...given.env,
    BELAY_HOME: given.home,
    BELAY_SESSION_ID: given.session_id,
  };
}

export function isNeverPassed(name: string): boolean {
  return fits(name, NEVER_PASSED);
}

function fits(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
