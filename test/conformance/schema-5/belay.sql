BEGIN TRANSACTION;
CREATE TABLE streams (
  sid INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  lineage TEXT,
  epoch INTEGER NOT NULL,
  holder TEXT,
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  agent TEXT NOT NULL,
  interface TEXT NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  waiting INTEGER NOT NULL,
  created INTEGER NOT NULL,
  activity INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL
, unsettled INTEGER NOT NULL DEFAULT 1, pinned INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO streams VALUES(1,'01a1e265-9af0-73a5-b5a7-6299a8f25ec5','session','local','idle-1',4,X'27115f5af48040f72757ef0b2781c342221dcfdd0515c497c902ed276fa25a01',NULL,0,NULL,'active','initializing','a','library','','01a1e265-9af0-73a5-b5a7-6299a8f25ec5',0,1772366400000,1772366400000,X'6112523cafad3415','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"idle-1","entity_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","observed":false,"parent":null,"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":"small"}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"01a1e265-9b58-7d56-8221-e5136250278f","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":1,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(2,'01a1e265-9b07-7da7-9b4a-b961d4ea9e41','task','local','01a1e265-9af0-73a5-b5a7-6299a8f25ec5',3,X'6ae119de38e45b72105b11eb9392c6faad32ae3486fa259907056ad50781bda6',NULL,0,NULL,'running','','','library','','01a1e265-9af0-73a5-b5a7-6299a8f25ec5',0,1772366400000,1772366400000,X'ef82885b47ec0dae','{"kind":"task","task_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","entity_id":"01a1e265-9b07-7da7-9b4a-b961d4ea9e41","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"fork-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
INSERT INTO streams VALUES(3,'01a1e265-9b79-7b52-bca6-6bbdff98e88e','session','local','fork-1',7,X'84207334b46c893a6622946929293bcf0e03d315a8c93e17131add79701e6c85','[[1,4]]',0,NULL,'active','initializing','a','library','','01a1e265-9af0-73a5-b5a7-6299a8f25ec5',0,1772366400000,1772366400000,X'292147077e5963ba','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"fork-1","entity_id":"01a1e265-9b79-7b52-bca6-6bbdff98e88e","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","observed":false,"parent":{"session_id":"idle-1","entity_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","seq":4},"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":"small"}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"01a1e265-9b58-7d56-8221-e5136250278f","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":2,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(4,'01a1e265-9be7-782a-b840-a08e42e47065','session','local','pinned-1',2,X'ba0ed10ef58e4de21d9086e0b223e35ce6bc10a2cbec6f9ab6e539891fb758ca',NULL,0,NULL,'created','initializing','a','library','','01a1e265-9be7-782a-b840-a08e42e47065',0,1772366400000,1772366400000,X'288d9588eb325add','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e265-9be7-782a-b840-a08e42e47065","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9be7-782a-b840-a08e42e47065","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":true,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,1);
INSERT INTO streams VALUES(5,'01a1e265-9be8-7e08-8898-2222107a11d1','task','local','01a1e265-9be7-782a-b840-a08e42e47065',2,X'097b6ac8e3efb6a38564f9130ae75772de94a543105a6f545f5cf4ba98c12286',NULL,0,NULL,'running','','','library','','01a1e265-9be7-782a-b840-a08e42e47065',0,1772366400000,1772366400000,X'f612a4ac5b143271','{"kind":"task","task_id":"01a1e265-9be7-782a-b840-a08e42e47065","entity_id":"01a1e265-9be8-7e08-8898-2222107a11d1","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"pinned-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
INSERT INTO streams VALUES(6,'01a1e265-9d2b-736b-95b4-7c99e35d026a','session','local','ended-1',3,X'd057b8731b96c9b27077a116f3f8f1554950cd644367bbb7dcb6fc4aa72bbe17',NULL,0,NULL,'completed','completed','b','library','','01a1e265-9d2b-736b-95b4-7c99e35d026a',0,1772366400000,1772366400000,X'3be7673cc7c68738','{"kind":"session","agent_name":"b","supports_resume":false,"session_id":"ended-1","entity_id":"01a1e265-9d2b-736b-95b4-7c99e35d026a","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9d2b-736b-95b4-7c99e35d026a","observed":false,"parent":null,"status":"completed","suspend_reason":null,"suspended_until":null,"phase":"completed","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":{"at":1772366400000,"duration_ms":0,"summary":null},"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[{"from_phase":"initializing","to_phase":"completed","at":1772366400000}],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":1,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(7,'01a1e265-9d2b-7f6a-aedd-be8a0b43e280','task','local','01a1e265-9d2b-736b-95b4-7c99e35d026a',3,X'16c2ca62443685e4f6b60275781f4f9d7efb16f4716082b2df7b5238259179b6',NULL,0,NULL,'completed','','','library','','01a1e265-9d2b-736b-95b4-7c99e35d026a',0,1772366400000,1772366400000,X'4d97a20d27963c70','{"kind":"task","task_id":"01a1e265-9d2b-736b-95b4-7c99e35d026a","entity_id":"01a1e265-9d2b-7f6a-aedd-be8a0b43e280","owner":"local","title":"agent:b","source":"library","status":"completed","priority":null,"est_hours":null,"added_at":null,"session_id":"ended-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
CREATE TABLE events (
  pos INTEGER PRIMARY KEY,
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  interface TEXT NOT NULL,
  trace_id ANY,
  hash BLOB NOT NULL,
  idem TEXT,
  digest ANY,
  span INTEGER,
  origin TEXT,
  body TEXT NOT NULL
) STRICT;
INSERT INTO events VALUES(1,1,1,'session.created',1772366400000,'test','library',NULL,X'e947e2354740ea9be90878e0f543930ce6f462709f77582a500467cb2d145d02',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{"size":"small"},"supports_resume":false,"session_id":"idle-1","entity_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","observed":false}');
INSERT INTO events VALUES(2,2,1,'task.created',1772366400000,'test','library',NULL,X'b13e6390054021f7496eaeb72b827a3e080ff4f6b6ec737a9e610d851ee845aa',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","entity_id":"01a1e265-9b07-7da7-9b4a-b961d4ea9e41","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(3,2,2,'task.followed',1772366400000,'test','library',NULL,X'2408510b9af5b35eb3737f5482f1ab72daa965e1a8a115fafe4f0d621fd7c815',NULL,NULL,NULL,NULL,'{"session_id":"idle-1","status":"running"}');
INSERT INTO events VALUES(4,1,2,'session.activated',1772366400000,'test','library',NULL,X'86819600912578c6cf24173e95a721dd7c3f9579abbf5548bcd19838e1eca50e',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(5,1,3,'turn.recorded',1772366400000,'test','library',NULL,X'da48ed16ddea94d53658b09f09dddd3096bd1fd069135c4edb05b54e5e431637',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e265-9b2b-72be-b8e9-c1c10f6f9495","input":"hello","output":"done","usage":null}');
INSERT INTO events VALUES(6,1,4,'checkpoint.saved',1772366400000,'test','library',NULL,X'27115f5af48040f72757ef0b2781c342221dcfdd0515c497c902ed276fa25a01',NULL,NULL,NULL,NULL,'{"checkpoint_id":"01a1e265-9b58-7d56-8221-e5136250278f","name":"first","state":{"step":1}}');
INSERT INTO events VALUES(7,3,5,'session.forked',1772366400000,'test','library',NULL,X'78b11bfa85a9ccea18b3b054c06f22d0fbdb52ed8f223d2c7f2a44c9d479a34c',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","entity_id":"01a1e265-9b79-7b52-bca6-6bbdff98e88e","owner":"local","interface":"library","title":null,"parent":{"session_id":"idle-1","entity_id":"01a1e265-9af0-73a5-b5a7-6299a8f25ec5","seq":4}}');
INSERT INTO events VALUES(8,3,6,'session.activated',1772366400000,'test','library',NULL,X'fd8b353fb699aa6dbce15fa49d50f133218cea6428886952e7ea326ea8487551',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(9,3,7,'turn.recorded',1772366400000,'test','library',NULL,X'84207334b46c893a6622946929293bcf0e03d315a8c93e17131add79701e6c85',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e265-9bca-7cd7-98bf-39199c89ab63","input":"more","output":"done","usage":null}');
INSERT INTO events VALUES(10,2,3,'task.followed',1772366400000,'test','library',NULL,X'6ae119de38e45b72105b11eb9392c6faad32ae3486fa259907056ad50781bda6',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","status":"running"}');
INSERT INTO events VALUES(11,4,1,'session.created',1772366400000,'test','library',NULL,X'0c5269cb9c66c4a1e0e6af7bad2819a37bd543c5807a1097424ee06b7697eb47',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e265-9be7-782a-b840-a08e42e47065","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9be7-782a-b840-a08e42e47065","observed":false}');
INSERT INTO events VALUES(12,5,1,'task.created',1772366400000,'test','library',NULL,X'76e33e5a4a06dd00f98a3d21f81f056114cdce83a6408f31350b668b9889f37f',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-9be7-782a-b840-a08e42e47065","entity_id":"01a1e265-9be8-7e08-8898-2222107a11d1","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(13,5,2,'task.followed',1772366400000,'test','library',NULL,X'097b6ac8e3efb6a38564f9130ae75772de94a543105a6f545f5cf4ba98c12286',NULL,NULL,NULL,NULL,'{"session_id":"pinned-1","status":"running"}');
INSERT INTO events VALUES(14,4,2,'session.pinned',1772366400000,'test','library',NULL,X'ba0ed10ef58e4de21d9086e0b223e35ce6bc10a2cbec6f9ab6e539891fb758ca',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(15,6,1,'session.created',1772366400000,'test','library',NULL,X'cac676c1935d7a2d1cce07f93d997a58f392b95ac365cdab5e67e2c37bb87a64',NULL,NULL,NULL,NULL,'{"agent_name":"b","metadata":{},"supports_resume":false,"session_id":"ended-1","entity_id":"01a1e265-9d2b-736b-95b4-7c99e35d026a","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-9d2b-736b-95b4-7c99e35d026a","observed":false}');
INSERT INTO events VALUES(16,7,1,'task.created',1772366400000,'test','library',NULL,X'd01d90555c5f25b606243ebdbbf6515302040921572cbda4c06bbb6332d4dbe8',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-9d2b-736b-95b4-7c99e35d026a","entity_id":"01a1e265-9d2b-7f6a-aedd-be8a0b43e280","owner":"local","title":"agent:b","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(17,7,2,'task.followed',1772366400000,'test','library',NULL,X'a65a80095a899535e0bd9e2205e52f37f73b9a2cf9d2e5665a755797fbdad0e0',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"running"}');
INSERT INTO events VALUES(18,6,2,'phase.changed',1772366400000,'test','library',NULL,X'f811b14bfe3c4394f62f900dbadebead188b287ebf45b20288d30168fd3e1033',NULL,NULL,NULL,NULL,'{"from":"initializing","to":"completed"}');
INSERT INTO events VALUES(19,6,3,'session.completed',1772366400000,'test','library',NULL,X'd057b8731b96c9b27077a116f3f8f1554950cd644367bbb7dcb6fc4aa72bbe17',NULL,NULL,NULL,NULL,'{"summary":null,"duration_ms":0}');
INSERT INTO events VALUES(20,7,3,'task.followed',1772366400000,'test','library',NULL,X'16c2ca62443685e4f6b60275781f4f9d7efb16f4716082b2df7b5238259179b6',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"completed"}');
CREATE TABLE rows (
  sid INTEGER NOT NULL,
  kind TEXT NOT NULL,
  place INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT,
  sum BLOB NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (sid, kind, place, nth, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO "rows" VALUES(1,'checkpoint',4,0,4,'first',X'245205399c325800','{"checkpoint_id":"01a1e265-9b58-7d56-8221-e5136250278f","name":"first","timestamp":"2026-03-01T12:00:00.000Z","saved":4}');
INSERT INTO "rows" VALUES(1,'turn',3,0,3,NULL,X'a226aea2ee564a11','{}');
INSERT INTO "rows" VALUES(3,'turn',7,0,7,NULL,X'fe4e0c25f3ecbba9','{}');
INSERT INTO "rows" VALUES(6,'phase',2,0,2,NULL,X'9502735093f4fe8c','{"from_phase":"initializing","to_phase":"completed","at":1772366400000}');
CREATE TABLE heads (
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL,
  PRIMARY KEY (sid, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE names (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  pos INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (owner, name, pos)
) STRICT, WITHOUT ROWID;
INSERT INTO names VALUES('local','checkpoint:01a1e265-9b58-7d56-8221-e5136250278f',6,1,4,X'9eefa10e0e041110');
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('position_floor',0);
CREATE TABLE blobs (
  bid INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB,
  size INTEGER NOT NULL,
  renewed INTEGER
) STRICT;
INSERT INTO blobs VALUES(1,X'1c4787b3daef2b482b4eaf8470a17b14352ec56b19a6cfc0cac5bc53d969b0cf',25,NULL);
CREATE TABLE blob_chunks (
  bid INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  sum BLOB NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
INSERT INTO blob_chunks VALUES(1,0,0,X'8795e118dc70ec32',X'61206c6172676520636f6e74656e742c20666f72206f6e6365');
CREATE TABLE blob_holders (
  sid INTEGER NOT NULL,
  bid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (sid, bid)
) STRICT, WITHOUT ROWID;
INSERT INTO blob_holders VALUES(1,1,4);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('streams',7);
INSERT INTO sqlite_sequence VALUES('blobs',1);
CREATE UNIQUE INDEX streams_by_id ON streams (id);
CREATE UNIQUE INDEX streams_by_key ON streams (kind, owner, key);
CREATE INDEX streams_by_activity ON streams (kind, owner, activity);
CREATE INDEX streams_by_status ON streams (kind, owner, status, activity);
CREATE INDEX streams_by_agent ON streams (kind, owner, agent, status, activity);
CREATE INDEX streams_by_task ON streams (kind, owner, task, activity);
CREATE INDEX streams_by_parent ON streams (json_extract(lineage, '$[#-1][0]'), json_extract(lineage, '$[#-1][1]'))
  WHERE lineage IS NOT NULL;
CREATE INDEX streams_waiting ON streams (kind, owner, activity) WHERE waiting > 0;
CREATE UNIQUE INDEX events_by_seq ON events (sid, seq);
CREATE UNIQUE INDEX events_by_idem ON events (idem) WHERE idem IS NOT NULL AND origin IS NULL;
CREATE INDEX rows_by_key ON rows (sid, kind, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX names_by_stream ON names (sid, name);
CREATE TRIGGER positions_are_never_used_again AFTER DELETE ON events BEGIN
  UPDATE meta SET value = max(value, OLD.pos) WHERE name = 'position_floor';
END;
CREATE INDEX streams_unsettled ON streams (kind, owner, status, activity) WHERE unsettled = 1;
CREATE INDEX streams_pinned ON streams (kind, owner, status, activity) WHERE pinned = 1;
CREATE VIEW backlog AS SELECT key AS id, owner,
  json_extract(head, '$.title') AS title, json_extract(head, '$.status') AS status,
  json_extract(head, '$.priority') AS priority, json_extract(head, '$.est_hours') AS est_hours,
  json_extract(head, '$.added_at') AS added_at
  FROM streams WHERE kind = 'task' AND json_valid(head);
CREATE VIEW audit AS SELECT events.pos AS id,
  strftime('%Y-%m-%dT%H:%M:%fZ', events.at / 1000.0, 'unixepoch') AS timestamp,
  streams.owner, streams.kind, streams.key, streams.id AS entity_id, events.seq, events.type AS event,
  events.actor, events.interface, events.trace_id, events.body AS details
  FROM events JOIN streams USING (sid);
CREATE UNIQUE INDEX blobs_by_digest ON blobs (digest) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX blob_chunks_by_place ON blob_chunks (bid, nth);
CREATE INDEX blob_holders_by_blob ON blob_holders (bid);
COMMIT;
PRAGMA user_version = 5;
