import { query } from "./scene-databases.ts";

/** The tables, indexes and functions of a store as text, to compare two of them. */
export async function dumpSchema(url: string): Promise<string> {
  const { rows } = await query(url, SCHEMA);
  return rows.map(({ sql }) => `${sql};\n`).join("\n");
}

const SCHEMA = `SELECT sql FROM (
  SELECT 1 AS part, c.relname AS name, format(E'CREATE TABLE belay.%I (\\n%s\\n)%s', c.relname,
    (SELECT string_agg(format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN k.collname = 'C' THEN ' COLLATE "C"' ELSE '' END,
      CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
      CASE WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
        WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE '' END), E',\\n' ORDER BY a.attnum)
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_collation k ON k.oid = a.attcollation
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    CASE WHEN c.reloptions IS NULL THEN '' ELSE format(' WITH (%s)', array_to_string(c.reloptions, ', ')) END) AS sql
  FROM pg_class c WHERE c.relnamespace = 'belay'::regnamespace AND c.relkind IN ('r', 'p')
  UNION ALL
  SELECT 2, indexname, indexdef FROM pg_indexes WHERE schemaname = 'belay'
  UNION ALL
  SELECT 3, p.proname, rtrim(pg_get_functiondef(p.oid), E'\\n') FROM pg_proc p
    WHERE p.pronamespace = 'belay'::regnamespace
) all_of_it ORDER BY part, name`;
