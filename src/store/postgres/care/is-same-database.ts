import { connect } from "../database/database.ts";
import { toStorageError } from "../database/postgres-error.ts";

/** True if both addresses lead to the same database, whatever names they use for the server. */
export async function isSameDatabase(one: string, other: string): Promise<boolean> {
  return (await identify(one)) === (await identify(other));
}

async function identify(url: string): Promise<string> {
  const client = connect(url);
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ id: string }>(IDENTITY);
    return rows[0]?.id ?? "";
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const IDENTITY = `SELECT concat_ws(' ', s.system_identifier, c.timeline_id, d.oid) AS id
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()`;
