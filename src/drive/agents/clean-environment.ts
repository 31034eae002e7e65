/** Variables that any program needs. A `*` at the end matches any rest. */
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
 * Never passed on, whatever pattern matches them: options for every Node process, variables of npm, the token of a
 * server, encryption keys, and a mark that would make an agent think it runs inside another.
 */
const NEVER_PASSED = ["NODE_OPTIONS", "npm_*", "BELAY_TOKEN", "BELAY_KEY_*", "CLAUDECODE"] as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** The complete environment of an agent's process; it inherits nothing else. */
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
