/** A fault in what composes the server, and the tests that must find it. */
export interface PlantedFault {
  readonly name: string;
  /** Occurs once in all sources. */
  readonly find: string;
  readonly put: string;
  readonly tests: readonly string[];
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: "streams go on after their token was revoked",
    find: "isAdmitted: (admission) => isAdmitted(together, admission),",
    put: "isAdmitted: async () => true,",
    tests: ["test/http/closing.test.ts"],
  },
  {
    name: "a revoked token is still admitted",
    find: "if (asked.size === 0) setImmediate(() => asked.clear());",
    put: "",
    tests: ["test/http/routes.test.ts"],
  },
  {
    name: "a request without a valid token is not put on record",
    find: "refusedTokens\n            .record(request)",
    put: "Promise.resolve()",
    tests: ["test/security/refused-tokens.test.ts"],
  },
  {
    name: "a refused caller is not put on record",
    find: "noteRefused: (caller, what) => recordRefused(context, caller, what),",
    put: "noteRefused: async () => {},",
    tests: ["test/security/audit.test.ts"],
  },
  {
    name: "the use of a token is not put on record",
    find: "renewToken(context, self, used).catch((err: unknown) =>",
    put: "Promise.resolve(used).catch((err: unknown) =>",
    tests: ["test/security/tokens.test.ts"],
  },
  {
    name: "the user who runs the server is not its admin",
    find: "asServerUser(owner, (token) =>",
    put: "((_, letIn) => letIn)(owner, (token) =>",
    tests: ["test/security/people.test.ts", "test/graphql/every-operation.test.ts"],
  },
  {
    name: "hooks are answered and forgotten",
    find: "answerHookRequest(payload, caller, {",
    put: "((..._: unknown[]) => Promise.resolve(''))(payload, caller, {",
    tests: ["test/http/routes.test.ts"],
  },
  {
    name: "no signed webhook is accepted",
    find: "admit: (name, headers, body) => admitDelivery(context, name, headers, body),",
    put: "admit: async () => null,",
    tests: ["test/security/webhooks.test.ts"],
  },
  {
    name: "large contents are stored as they are",
    find: "return codedStore(store, isReadable(home) ? zstdCodec(Number.POSITIVE_INFINITY) : zstdCodec());",
    put: "return codedStore(store, zstdCodec(Number.POSITIVE_INFINITY));",
    tests: ["test/http/routes.test.ts"],
  },
  {
    name: "a key is there and nothing is encrypted",
    find: "const store = await openSealed(home, process.env, (limits) => openPlainStore(place, limits));",
    put: "const store = await openSealed(home, {}, (limits) => openPlainStore(place, limits));",
    tests: ["test/sealed/commands.test.ts"],
  },
  {
    name: "sessions are not suspended when the server stops",
    find: 'if (changed.head.status === "active") served.add(changed.stream.id);',
    put: "if (!changed) served.add('');",
    tests: ["test/serve/shutdown.test.ts"],
  },
  {
    name: "a public link shows nothing",
    find: "readLink: links.read,",
    put: "readLink: () => Promise.reject(new Error('lost')),",
    tests: ["test/security/public-links.test.ts"],
  },
];
