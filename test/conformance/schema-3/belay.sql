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
INSERT INTO streams VALUES(1,'01a1e265-5845-76dc-be55-cdd94bff8e50','session','local','idle-1',4,X'5639f9ffda4de5380c4d02d3346dc09af6316a0912ec05536803b3e362c0f978',NULL,0,NULL,'active','initializing','a','library','','01a1e265-5845-76dc-be55-cdd94bff8e50',0,1772366400000,1772366400000,X'efd4ddc66c3dd693','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"idle-1","entity_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","observed":false,"parent":null,"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":"small"}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"01a1e265-5898-7068-ac74-47cce4a864f0","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":1,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(2,'01a1e265-5855-7395-8fbf-3e64f0c26250','task','local','01a1e265-5845-76dc-be55-cdd94bff8e50',3,X'73c261f484b64817bc80bda3ca0254687363e82feb6dffa5a94687f60229cf67',NULL,0,NULL,'running','','','library','','01a1e265-5845-76dc-be55-cdd94bff8e50',0,1772366400000,1772366400000,X'e60f148865690808','{"kind":"task","task_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","entity_id":"01a1e265-5855-7395-8fbf-3e64f0c26250","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"fork-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
INSERT INTO streams VALUES(3,'01a1e265-58d5-71b3-a480-37b6b2576849','session','local','fork-1',7,X'119bf935d474ea4bfaddb2c130627b0eeb81f95b7acc0068d89c52756e9b7991','[[1,4]]',0,NULL,'active','initializing','a','library','','01a1e265-5845-76dc-be55-cdd94bff8e50',0,1772366400000,1772366400000,X'86b889f9bb61d3d6','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"fork-1","entity_id":"01a1e265-58d5-71b3-a480-37b6b2576849","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","observed":false,"parent":{"session_id":"idle-1","entity_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","seq":4},"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":"small"}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"01a1e265-5898-7068-ac74-47cce4a864f0","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":2,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(4,'01a1e265-5912-7a0e-9277-4163c04941d4','session','local','pinned-1',2,X'8fb4fcabc70df3d7bcedcc93039c131b755d47986f364ad8826014c5de2fb703',NULL,0,NULL,'created','initializing','a','library','','01a1e265-5912-7a0e-9277-4163c04941d4',0,1772366400000,1772366400000,X'8864d4f0778a95da','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e265-5912-7a0e-9277-4163c04941d4","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-5912-7a0e-9277-4163c04941d4","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":true,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,1);
INSERT INTO streams VALUES(5,'01a1e265-5913-76d7-b26f-976240e14604','task','local','01a1e265-5912-7a0e-9277-4163c04941d4',2,X'e4b23b69670c16e221fb87de6f7c7b028a8b76c0557557eba27c77f8c23ee79c',NULL,0,NULL,'running','','','library','','01a1e265-5912-7a0e-9277-4163c04941d4',0,1772366400000,1772366400000,X'2bb3d1499e0fd4fa','{"kind":"task","task_id":"01a1e265-5912-7a0e-9277-4163c04941d4","entity_id":"01a1e265-5913-76d7-b26f-976240e14604","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"pinned-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
INSERT INTO streams VALUES(6,'01a1e265-594d-7171-8f2c-868cf1a39114','session','local','ended-1',3,X'9936f0bbbf77c5a5ab5131c12ea94e9b6545dd47b0d0e6cc5732853820cc1a6b',NULL,0,NULL,'completed','completed','b','library','','01a1e265-594d-7171-8f2c-868cf1a39114',0,1772366400000,1772366400000,X'e34506f7c86db315','{"kind":"session","agent_name":"b","supports_resume":false,"session_id":"ended-1","entity_id":"01a1e265-594d-7171-8f2c-868cf1a39114","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-594d-7171-8f2c-868cf1a39114","observed":false,"parent":null,"status":"completed","suspend_reason":null,"suspended_until":null,"phase":"completed","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":{"at":1772366400000,"duration_ms":0,"summary":null},"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[{"from_phase":"initializing","to_phase":"completed","at":1772366400000}],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":1,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0);
INSERT INTO streams VALUES(7,'01a1e265-594d-7066-89e7-1100bddf77d6','task','local','01a1e265-594d-7171-8f2c-868cf1a39114',3,X'9b2e0b3b07dedb29555615f6289ed2e37f2dc69a5ebaa57f129989615c792803',NULL,0,NULL,'completed','','','library','','01a1e265-594d-7171-8f2c-868cf1a39114',0,1772366400000,1772366400000,X'bb0547cfeb0f4b3d','{"kind":"task","task_id":"01a1e265-594d-7171-8f2c-868cf1a39114","entity_id":"01a1e265-594d-7066-89e7-1100bddf77d6","owner":"local","title":"agent:b","source":"library","status":"completed","priority":null,"est_hours":null,"added_at":null,"session_id":"ended-1","created_at":1772366400000,"updated_at":1772366400000}',0,0);
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
INSERT INTO events VALUES(1,1,1,'session.created',1772366400000,'test','library',NULL,X'd28dbcc39a6d627729c4d9c7b979faff7e3ed563061f07a7e53f3ae9fab9cb6c',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{"size":"small"},"supports_resume":false,"session_id":"idle-1","entity_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","observed":false}');
INSERT INTO events VALUES(2,2,1,'task.created',1772366400000,'test','library',NULL,X'8b79c5124a53dc2d8e77523e55b1e8cf4a2585ee6995dd0212c68d873941c929',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","entity_id":"01a1e265-5855-7395-8fbf-3e64f0c26250","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(3,2,2,'task.followed',1772366400000,'test','library',NULL,X'7d81a7368848af5fd2b124b55328a7aaa75ad25b9c9137215b705e7632881aa4',NULL,NULL,NULL,NULL,'{"session_id":"idle-1","status":"running"}');
INSERT INTO events VALUES(4,1,2,'session.activated',1772366400000,'test','library',NULL,X'69d0c8c0e27c911e28aec11e36427764a6c7e0a9a83bc3245480e382db43c921',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(5,1,3,'turn.recorded',1772366400000,'test','library',NULL,X'2fc1bf1792e6ba72ec377058821f916e5f40cdd63bbf5c0cb01bcf6e4f613e11',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e265-587a-7d5d-bbc2-3cdd0c2f2456","input":"hello","output":"done","usage":null}');
INSERT INTO events VALUES(6,1,4,'checkpoint.saved',1772366400000,'test','library',NULL,X'5639f9ffda4de5380c4d02d3346dc09af6316a0912ec05536803b3e362c0f978',NULL,NULL,NULL,NULL,'{"checkpoint_id":"01a1e265-5898-7068-ac74-47cce4a864f0","name":"first","state":{"step":1}}');
INSERT INTO events VALUES(7,3,5,'session.forked',1772366400000,'test','library',NULL,X'8655daa1a9b18f8b3c07836adbd87a9775649fede72f9dadce69ede6051580ad',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","entity_id":"01a1e265-58d5-71b3-a480-37b6b2576849","owner":"local","interface":"library","title":null,"parent":{"session_id":"idle-1","entity_id":"01a1e265-5845-76dc-be55-cdd94bff8e50","seq":4}}');
INSERT INTO events VALUES(8,3,6,'session.activated',1772366400000,'test','library',NULL,X'aee783b9897e03abd26adb83d9746994eb7eb06babda53c305392661a38372de',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(9,3,7,'turn.recorded',1772366400000,'test','library',NULL,X'119bf935d474ea4bfaddb2c130627b0eeb81f95b7acc0068d89c52756e9b7991',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e265-5902-72ce-8574-1d5363cb976f","input":"more","output":"done","usage":null}');
INSERT INTO events VALUES(10,2,3,'task.followed',1772366400000,'test','library',NULL,X'73c261f484b64817bc80bda3ca0254687363e82feb6dffa5a94687f60229cf67',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","status":"running"}');
INSERT INTO events VALUES(11,4,1,'session.created',1772366400000,'test','library',NULL,X'efb16b5e278dc575f7bddc4fa005bd93c2e728ed1f0a6b7306e50802f4af5b41',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e265-5912-7a0e-9277-4163c04941d4","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-5912-7a0e-9277-4163c04941d4","observed":false}');
INSERT INTO events VALUES(12,5,1,'task.created',1772366400000,'test','library',NULL,X'b90ae522e000eea73ec7b432e8fa32ab201bf74480d3a2048c4b902f067b464e',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-5912-7a0e-9277-4163c04941d4","entity_id":"01a1e265-5913-76d7-b26f-976240e14604","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(13,5,2,'task.followed',1772366400000,'test','library',NULL,X'e4b23b69670c16e221fb87de6f7c7b028a8b76c0557557eba27c77f8c23ee79c',NULL,NULL,NULL,NULL,'{"session_id":"pinned-1","status":"running"}');
INSERT INTO events VALUES(14,4,2,'session.pinned',1772366400000,'test','library',NULL,X'8fb4fcabc70df3d7bcedcc93039c131b755d47986f364ad8826014c5de2fb703',NULL,NULL,NULL,NULL,'{}');
INSERT INTO events VALUES(15,6,1,'session.created',1772366400000,'test','library',NULL,X'03ca58a6a7f63cc0a31b422346a10a85814dbf99736216a37d887b81ec983e52',NULL,NULL,NULL,NULL,'{"agent_name":"b","metadata":{},"supports_resume":false,"session_id":"ended-1","entity_id":"01a1e265-594d-7171-8f2c-868cf1a39114","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e265-594d-7171-8f2c-868cf1a39114","observed":false}');
INSERT INTO events VALUES(16,7,1,'task.created',1772366400000,'test','library',NULL,X'8e9125e700312035e1263e734b65c1256ccf4e3b49c4e12d0acec0a51797bf16',NULL,NULL,NULL,NULL,'{"task_id":"01a1e265-594d-7171-8f2c-868cf1a39114","entity_id":"01a1e265-594d-7066-89e7-1100bddf77d6","owner":"local","title":"agent:b","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES(17,7,2,'task.followed',1772366400000,'test','library',NULL,X'88b6bd0181af9b2c0f8a581b3780461d759a1474061ca351573d0a1ace488eb9',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"running"}');
INSERT INTO events VALUES(18,6,2,'phase.changed',1772366400000,'test','library',NULL,X'83504c0f661fa83f5875f595c733fceb5a7f4fc6f58423ecb01fcb25bed21eea',NULL,NULL,NULL,NULL,'{"from":"initializing","to":"completed"}');
INSERT INTO events VALUES(19,6,3,'session.completed',1772366400000,'test','library',NULL,X'9936f0bbbf77c5a5ab5131c12ea94e9b6545dd47b0d0e6cc5732853820cc1a6b',NULL,NULL,NULL,NULL,'{"summary":null,"duration_ms":0}');
INSERT INTO events VALUES(20,7,3,'task.followed',1772366400000,'test','library',NULL,X'9b2e0b3b07dedb29555615f6289ed2e37f2dc69a5ebaa57f129989615c792803',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"completed"}');
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
INSERT INTO "rows" VALUES(1,'checkpoint',4,0,4,'first',X'6dd5f5278acaa4b4','{"checkpoint_id":"01a1e265-5898-7068-ac74-47cce4a864f0","name":"first","timestamp":"2026-03-01T12:00:00.000Z","saved":4}');
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
COMMIT;
PRAGMA user_version = 3;
