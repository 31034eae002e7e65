import { type RealServer, textOf } from "../../serve/server-process.ts";

const MB = 1024 * 1024;

/**
 * Texts in which the search for secrets has the most to do. An event may have four times as much; the search then takes
 * more than the limit (4 MB of escapes: 100 MB, 4 MB of nothing but passwords: 240 MB).
 */
const TEXTS = {
  escapes: "%41".repeat(MB / 3),
  slashes: "\\\\\\\\n".repeat(MB / 5),
  "long-base64": Buffer.from("hello world ".repeat(MB / 16)).toString("base64"),
  "many-base64": `${Buffer.from("hello world twelve").toString("base64")} `.repeat(MB / 50),
  secrets: "password=hunter22abc ".repeat(MB / 2 / 21),
} as const;

interface HostileSessions {
  /** Paths that read them. */
  readonly paths: readonly string[];
  /** A public link to each. */
  readonly links: readonly { readonly name: string; readonly link: string }[];
}

/** Sessions with one large event each. */
export async function addHostileSessions(server: RealServer): Promise<HostileSessions> {
  const paths: string[] = [];
  const links: { name: string; link: string }[] = [];
  const record = async (id: string, path: string, body: object): Promise<void> => {
    const { status, text } = await server.ask("POST", path, { body });
    if (status !== 201) throw new Error(`${id}: ${status} ${text.slice(0, 200)}`);
    links.push({ name: id, link: await addLink(server, id) });
    const exported = `/sessions/${id}/export?redact=true`;
    paths.push(`/sessions/${id}/links/preview`, exported, `${exported}&after=1`);
  };
  for (const [id, output] of Object.entries(TEXTS)) {
    await server.ask("POST", "/sessions", { body: { agent_name: "h", session_id: id } });
    await record(id, `/sessions/${id}/turns`, { input: "a", output });
  }
  const short = Array.from({ length: 45_000 }, (_, n) => `value ${n}`);
  const created = { agent_name: "h", session_id: "short-values", metadata: { short } };
  await record("short-values", "/sessions", created);
  // Every key is in the same event.
  const keys = Array.from({ length: 120 }, (_, n) => [`key-${n}`, "z".repeat(30_000)]);
  const wide = { agent_name: "h", session_id: "many-keys", metadata: Object.fromEntries(keys) };
  await record("many-keys", "/sessions", wide);
  return { paths: [...paths, "/sessions/many-keys"], links };
}

/** Returns what its address has behind the #. */
export async function addLink(server: RealServer, id: string): Promise<string> {
  const { json } = await server.ask("POST", `/sessions/${id}/links`, { body: {} });
  return textOf(json, "path").replace("/link#", "");
}
