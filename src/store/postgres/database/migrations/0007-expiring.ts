/** Values that expire. They are not logged: after a crash of the database they are gone, and logins under way start again. */
export const expiring = `
CREATE UNLOGGED TABLE belay.expiring (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  until double precision NOT NULL,
  nr bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (kind, key)
);
CREATE INDEX expiring_by_age ON belay.expiring (kind, until, nr);
`;
