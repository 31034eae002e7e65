import { query } from "./scene-databases.ts";

/** The tables whose primary keys contain the stream. */
const TABLES = ["events", "rows", "heads", "names", "blob_holders"];

/** Replaces the empty tables of a store by tables with hash partitions by stream: same columns, keys and indexes. */
export async function partitionTables(url: string, partitions: number): Promise<void> {
  for (const table of TABLES) await query(url, partition(table, partitions));
}

function partition(table: string, partitions: number): string {
  return `DO $$ DECLARE
    options text := (SELECT ' WITH (' || array_to_string(reloptions, ', ') || ')' FROM pg_class WHERE oid = 'belay.${table}'::regclass);
    made text;
  BEGIN
    CREATE TEMP TABLE made AS SELECT indexdef FROM pg_indexes WHERE schemaname = 'belay' AND tablename = '${table}';
    ALTER TABLE belay.${table} RENAME TO old_${table};
    CREATE TABLE belay.${table} (LIKE belay.old_${table} INCLUDING DEFAULTS INCLUDING STORAGE) PARTITION BY HASH (sid);
    DROP TABLE belay.old_${table};
    FOR n IN 0..${partitions - 1} LOOP
      EXECUTE format('CREATE TABLE belay.${table}_%s PARTITION OF belay.${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER %s)', n, n)
        || coalesce(options, '');
    END LOOP;
    FOR made IN SELECT indexdef FROM made LOOP EXECUTE made; END LOOP;
    DROP TABLE made;
  END $$`;
}
