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
INSERT INTO streams VALUES(1,'01a1e265-77be-76e0-be07-48f72e801f56','session','local','idle-1',4,X'2acc3bd42913e6571bc31447af9ed08f98472cb6756d9c04180efbb5fcbbc69b',NULL,0,NULL,'active','initializing','a','library','','01a1e265-77be-76e0-be07-48f72e801f56',0,1772366400000,1772366400000,X'b8552cc443ae6654','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"idle-1","entity_id":"01a1e265-77be-76e0-be07-48f72e801f56","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-77be-76e0-be07-48f72e801f56","observed":false,"parent":null,"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":"small"}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"01a1e265-77f2-7d2d-9f32-5250618da006","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":1,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(2,'01a1e265-77dd-7ee1-905d-0208f068d33d','task','local','01a1e265-77be-76e0-be07-48f72e801f56',3,X'77a3e4e6dfdd92024ebf3e1374dfeb8600b5ae06b209895e87141698195d442a',NULL,0,NULL,'running','','','library','','01a1e265-77be-76e0-be07-48f72e801f56',0,1772366400000,1772366400000,X'31df6351c896cd18','{"kind":"task","task_id":"01a1e265-77be-76e0-be07-48f72e801f56","entity_id":"01a1e265-77dd-7ee1-905d-0208f068d33d","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"fork-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
INSERT INTO streams VALUES(3,'01a1e265-77f7-7558-8f84-1dac8a819dc0','session','local','fork-1',7,X'c6649a3d26ef1dde6e62de35c46ecbc217df7fecb09dbe8c79c31eef5ae1e117','[[1,4]]',0,NULL,'active','initializing','a','library','','01a1e265-77be-76e0-be07-48f72e801f56',0,1772366400000,1772366400000,X'044d57673979fef2','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"fork-1","entity_id":"01a1e265-77f7-7558-8f84-1dac8a819dc0","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-77be-76e0-be07-48f72e801f56","observed":false,"parent":{"session_id":"idle-1","entity_id":"01a1e265-77be-76e0-be07-48f72e801f56","seq":4},"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":"small"}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"01a1e265-77f2-7d2d-9f32-5250618da006","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":2,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(4,'01a1e265-77ff-78d0-bca4-6d52f8ffb52d','session','local','pinned-1',2,X'7ef85fc7a4a5429a24e47efa3528041c0c0b5f8f3de8d8bb7374f1118ef989af',NULL,0,NULL,'created','initializing','a','library','','01a1e265-77ff-78d0-bca4-6d52f8ffb52d',0,1772366400000,1772366400000,X'96c6d83765ffddc3','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e265-77ff-78d0-bca4-6d52f8ffb52d","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-77ff-78d0-bca4-6d52f8ffb52d","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":true,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,1);
INSERT INTO streams VALUES(5,'01a1e265-7801-7dcc-bdac-8e31fa50942e','task','local','01a1e265-77ff-78d0-bca4-6d52f8ffb52d',2,X'4159e88c83cc2a21c05c79d2af11b58ec19b8f87a4e94ed4578f3080de690653',NULL,0,NULL,'running','','','library','','01a1e265-77ff-78d0-bca4-6d52f8ffb52d',0,1772366400000,1772366400000,X'd2ccf4bcbcec36e3','{"kind":"task","task_id":"01a1e265-77ff-78d0-bca4-6d52f8ffb52d","entity_id":"01a1e265-7801-7dcc-bdac-8e31fa50942e","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"pinned-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
INSERT INTO streams VALUES(6,'01a1e265-7811-7ed3-bce7-2a70825affeb','session','local','ended-1',3,X'3d0444daf3ee50b6c33cb97ce67ad03cbacf9223d9ddeab1ee53184fa5ad97f5',NULL,0,NULL,'completed','completed','b','library','','01a1e265-7811-7ed3-bce7-2a70825affeb',0,1772366400000,1772366400000,X'58bfcfe37c4e5674','{"kind":"session","agent_name":"b","supports_resume":false,"session_id":"ended-1","entity_id":"01a1e265-7811-7ed3-bce7-2a70825affeb","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-7811-7ed3-bce7-2a70825affeb","observed":false,"parent":null,"status":"completed","suspend_reason":null,"suspended_until":null,"phase":"completed","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":{"at":1772366400000,"duration_ms":0,"summary":null},"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[{"from_phase":"initializing","to_phase":"completed","at":1772366400000}],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":1,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(7,'01a1e265-7812-7255-91a1-5657f63e7690','task','local','01a1e265-7811-7ed3-bce7-2a70825affeb',3,X'4ee5b0ef70524c922dab3fc684bc69fad0a24fa4d34b7f90c095fc3dc8fae04f',NULL,0,NULL,'completed','','','library','','01a1e265-7811-7ed3-bce7-2a70825affeb',0,1772366400000,1772366400000,X'd50142b7904840c8','{"kind":"task","task_id":"01a1e265-7811-7ed3-bce7-2a70825affeb","entity_id":"01a1e265-7812-7255-91a1-5657f63e7690","owner":"local","title":"agent:b","source":"library","status":"completed","priority":null,"est_hours":null,"added_at":null,"session_id":"ended-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
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
INSERT INTO events VALUES(1,1,1,'session.created',1772366400000,'test','library',NULL,X'315d3587f3a339aba5443dc9ad350431acc8ac61478ca54979bfc19961e8d65b',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{"size":"small"},"supports_resume":false,"session_id":"idle-1","entity_id":"01a1e265-77be-76e0-be07-48f72e801f56","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-77be-76e0-be07-48f72e801f56","observed":false}');
INSERT INTO events VALUES(2,2,1,'task.created',1772366400000,'test','library',NULL,X'38c950db35173c695c9795d96c1a7169b3dcdbf49bd24799284f6af5f61c2710',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-77be-76e0-be07-48f72e801f56","entity_id":"01a1e265-77dd-7ee1-905d-0208f068d33d","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(3,2,2,'task.followed',1772366400000,'test','library',NULL,X'94eba80022256f14740e7b17eed27ecdedc06f7d5b314063dc3ea9e5d2ccfb34',NULL,NULL,NULL,NULL,'{"session_id":"idle-1","status":"running"}');
INSERT INTO events VALUES(4,1,2,'session.activated',1772366400000,'test','library',NULL,X'cf892aa2f25f506049e3f0b4db5da2f6d46538debc608a15dba5ed10ccbc6e26',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(5,1,3,'turn.recorded',1772366400000,'test','library',NULL,X'2c0e16c4dc91991a9d035054ccef2043fee4047c83b5e48656294b117cd73ccc',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e265-77ed-79c7-95e0-fc8ecc754a92","input":"hello","output":"done","usage":null}');
INSERT INTO events VALUES(6,1,4,'checkpoint.saved',1772366400000,'test','library',NULL,X'2acc3bd42913e6571bc31447af9ed08f98472cb6756d9c04180efbb5fcbbc69b',NULL,NULL,NULL,NULL,'{"checkpoint_id":"01a1e265-77f2-7d2d-9f32-5250618da006","name":"first","state":{"step":1}}');
INSERT INTO events VALUES(7,3,5,'session.forked',1772366400000,'test','library',NULL,X'59c6b999e960e211bef810245896c700a6afcda19feef19e6d22269c22355c4b',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","entity_id":"01a1e265-77f7-7558-8f84-1dac8a819dc0","owner":"local","interface":"library","title":null,"parent":{"session_id":"idle-1","entity_id":"01a1e265-77be-76e0-be07-48f72e801f56","seq":4}}');
INSERT INTO events VALUES(8,3,6,'session.activated',1772366400000,'test','library',NULL,X'c135ff2cc7d24febb006e14bbaec0108c46b187b07cef540afee04cf10b184ac',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(9,3,7,'turn.recorded',1772366400000,'test','library',NULL,X'c6649a3d26ef1dde6e62de35c46ecbc217df7fecb09dbe8c79c31eef5ae1e117',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e265-77fc-71b0-8297-512721ece3bb","input":"more","output":"done","usage":null}');
INSERT INTO events VALUES(10,2,3,'task.followed',1772366400000,'test','library',NULL,X'77a3e4e6dfdd92024ebf3e1374dfeb8600b5ae06b209895e87141698195d442a',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","status":"running"}');
INSERT INTO events VALUES(11,4,1,'session.created',1772366400000,'test','library',NULL,X'41e69581ae6277d5835ef85bc63d42cdf0525ba3fb0aedb8558f5af1a933c5e6',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e265-77ff-78d0-bca4-6d52f8ffb52d","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-77ff-78d0-bca4-6d52f8ffb52d","observed":false}');
INSERT INTO events VALUES(12,5,1,'task.created',1772366400000,'test','library',NULL,X'480c07db2a249e45f00a4a8cc7c7067dcf5d1226d4b66b447a5d9df5321e8510',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-77ff-78d0-bca4-6d52f8ffb52d","entity_id":"01a1e265-7801-7dcc-bdac-8e31fa50942e","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(13,5,2,'task.followed',1772366400000,'test','library',NULL,X'4159e88c83cc2a21c05c79d2af11b58ec19b8f87a4e94ed4578f3080de690653',NULL,NULL,NULL,NULL,'{"session_id":"pinned-1","status":"running"}');
INSERT INTO events VALUES(14,4,2,'session.pinned',1772366400000,'test','library',NULL,X'7ef85fc7a4a5429a24e47efa3528041c0c0b5f8f3de8d8bb7374f1118ef989af',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(15,6,1,'session.created',1772366400000,'test','library',NULL,X'8ef093c71c73d049b13022110f3dd31dfe0d02f278e8f2c0d3886fd820b28bee',NULL,NULL,NULL,NULL,'{"agent_name":"b","metadata":{},"supports_resume":false,"session_id":"ended-1","entity_id":"01a1e265-7811-7ed3-bce7-2a70825affeb","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-7811-7ed3-bce7-2a70825affeb","observed":false}');
INSERT INTO events VALUES(16,7,1,'task.created',1772366400000,'test','library',NULL,X'd0a3b8c3b3723d428ca2a5fe923aa6fc1afb891a9cb4e61dc8977615f08a79a6',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-7811-7ed3-bce7-2a70825affeb","entity_id":"01a1e265-7812-7255-91a1-5657f63e7690","owner":"local","title":"agent:b","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(17,7,2,'task.followed',1772366400000,'test','library',NULL,X'd0171cc068c83809a84c5d75fb77a98fef9e0fbd71db0e4f40c7df253fc1f23f',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"running"}');
INSERT INTO events VALUES(18,6,2,'phase.changed',1772366400000,'test','library',NULL,X'6a06ee66f12c07ad6fedfe2be94f08f9ad511da38ed15f887a3a6da9a7381e0b',NULL,NULL,NULL,NULL,'{"from":"initializing","to":"completed"}');
INSERT INTO events VALUES(19,6,3,'session.completed',1772366400000,'test','library',NULL,X'3d0444daf3ee50b6c33cb97ce67ad03cbacf9223d9ddeab1ee53184fa5ad97f5',NULL,NULL,NULL,NULL,'{"summary":null,"duration_ms":0}');
INSERT INTO events VALUES(20,7,3,'task.followed',1772366400000,'test','library',NULL,X'4ee5b0ef70524c922dab3fc684bc69fad0a24fa4d34b7f90c095fc3dc8fae04f',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"completed"}');
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
INSERT INTO "rows" VALUES(1,'checkpoint',4,0,4,'first',X'ca3ed53bf889b45a','{"checkpoint_id":"01a1e265-77f2-7d2d-9f32-5250618da006","name":"first","timestamp":"2026-03-01T12:00:00.000Z","saved":4}');
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
INSERT INTO names VALUES('local','checkpoint:01a1e265-77f2-7d2d-9f32-5250618da006',6,1,4,X'41eae397c355f815');
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
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('streams',7);
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
COMMIT;
PRAGMA user_version = 4;
