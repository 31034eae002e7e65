BEGIN TRANSACTION;
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
INSERT INTO "events" VALUES(1,1,1,'session.created',1772366400000,'test','library',NULL,X'A315A74A147E8027110EB94639EBB44C0FC85988A56508F542E7BA4F0A38A057',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"plain-1","entity_id":"01a1e181-8467-7abd-87d8-3f91c37c5642","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e181-8467-7abd-87d8-3f91c37c5642","observed":false}');
INSERT INTO "events" VALUES(2,2,1,'task.created',1772366400000,'test','library',NULL,X'C11CCCD3C3E14BC1473FD1DECCB45FD0BF53BD83ED5DEB4F25B03370A4234C8C',NULL,NULL,NULL,NULL,'{"task_id":"01a1e181-8467-7abd-87d8-3f91c37c5642","entity_id":"01a1e181-8473-7575-a7bc-cc9fd4766661","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO "events" VALUES(3,2,2,'task.followed',1772366400000,'test','library',NULL,X'E55EA03A8D36750F8134887454F2A2C6A9D63270C69E15868592E06BAC239821',NULL,NULL,NULL,NULL,'{"session_id":"plain-1","status":"running"}');
INSERT INTO "events" VALUES(4,3,1,'session.created',1772366400000,'test','library',NULL,X'3352FADCF34EF17D76D6BB7B40B64F5F90711E3A5AA072DD4E2E0DF1F509555B',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e181-8484-77fe-85b2-2cc883cc5a66","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e181-8484-77fe-85b2-2cc883cc5a66","observed":false}');
INSERT INTO "events" VALUES(5,4,1,'task.created',1772366400000,'test','library',NULL,X'F8D780CF362F21DA4F214DABCF0E39EC4C0994FCE3DBB7E7FB6687196FEE8C2D',NULL,NULL,NULL,NULL,'{"task_id":"01a1e181-8484-77fe-85b2-2cc883cc5a66","entity_id":"01a1e181-8484-752b-905d-fc9f1b39fbdd","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO "events" VALUES(6,4,2,'task.followed',1772366400000,'test','library',NULL,X'FEC68C2B7D8CD3C4BA96E3EFF40C75399A230F43562F42218892F7870D67690F',NULL,NULL,NULL,NULL,'{"session_id":"pinned-1","status":"running"}');
INSERT INTO "events" VALUES(7,5,1,'session.created',1772366400000,'test','library',NULL,X'33627A4C454D74287DD5378DAC83623A3F36586BE4D3673A924C315EF1634A57',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"pinned-2","entity_id":"01a1e181-848a-7660-a353-bea5997e0702","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e181-848a-7660-a353-bea5997e0702","observed":false}');
INSERT INTO "events" VALUES(8,6,1,'task.created',1772366400000,'test','library',NULL,X'6C150FFE0B561A8A5879A65A4585036F8E142E5304EAD712505BEEB6CC90B037',NULL,NULL,NULL,NULL,'{"task_id":"01a1e181-848a-7660-a353-bea5997e0702","entity_id":"01a1e181-848b-7dcf-ad9e-55ce80722a5b","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO "events" VALUES(9,6,2,'task.followed',1772366400000,'test','library',NULL,X'4C000503F56A07D4C6C7EF78B18B11B1EA952B7493FA5FD28723CAA142D26AAF',NULL,NULL,NULL,NULL,'{"session_id":"pinned-2","status":"running"}');
INSERT INTO "events" VALUES(10,3,2,'session.pinned',1772366400000,'test','library',NULL,X'EDEA6EB2982BD126E231C48C0C6EFFB193BDCA31ADC433B8A9AEE798B008C667',NULL,NULL,NULL,NULL,'{}');
INSERT INTO "events" VALUES(11,5,2,'session.pinned',1772366400000,'test','library',NULL,X'C7211ACEB660665F2FAFD8A5857D18F387C6FFF3F59F156F361AF591618B1241',NULL,NULL,NULL,NULL,'{}');
INSERT INTO "events" VALUES(12,5,3,'session.activated',1772366400000,'test','library',NULL,X'11F3E2D40955D2B5FB597AAF0ED4020F8587624CA31784382EBBA6AB58937D93',NULL,NULL,NULL,NULL,'{}');
INSERT INTO "events" VALUES(13,5,4,'turn.recorded',1772366400000,'test','library',NULL,X'F7F0046A6CD96A4D6A77D3362E22180D4590B818E3CA44BE7494A0196389387A',NULL,NULL,NULL,NULL,'{"turn_id":"01a1e181-84ae-7ba3-8e29-a060a2f128e5","input":"a","output":"b","usage":null}');
INSERT INTO "events" VALUES(14,5,5,'phase.changed',1772366400000,'test','library',NULL,X'3DCF0A726F196574C8E5EF3EBAA0E052850FBAA1DBB2A5719AC4EDE2522CBE18',NULL,NULL,NULL,NULL,'{"from":"initializing","to":"completed"}');
INSERT INTO "events" VALUES(15,5,6,'session.completed',1772366400000,'test','library',NULL,X'D6E4D6A4341BD9E43AC938CB47A34E6BD9E41819C0EED036304B4C8B1FBB8C5B',NULL,NULL,NULL,NULL,'{"summary":null,"duration_ms":0}');
INSERT INTO "events" VALUES(16,6,3,'task.followed',1772366400000,'test','library',NULL,X'2834A14EFABF3834508704A19DA2432FC7F80418B177E35456773A12B4A91CBA',NULL,NULL,NULL,NULL,'{"session_id":"pinned-2","status":"completed"}');
CREATE TABLE heads (
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL,
  PRIMARY KEY (sid, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('position_floor',0);
CREATE TABLE names (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  pos INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (owner, name, pos)
) STRICT, WITHOUT ROWID;
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
INSERT INTO "rows" VALUES(5,'phase',5,0,5,NULL,X'83BF15868CED80CA','{"from_phase":"initializing","to_phase":"completed","at":1772366400000}');
INSERT INTO "rows" VALUES(5,'turn',4,0,4,NULL,X'EE0D7884500DA17E','{}');
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
, unsettled INTEGER NOT NULL DEFAULT 1) STRICT;
INSERT INTO "streams" VALUES(1,'01a1e181-8467-7abd-87d8-3f91c37c5642','session','local','plain-1',1,X'A315A74A147E8027110EB94639EBB44C0FC85988A56508F542E7BA4F0A38A057',NULL,0,NULL,'created','initializing','a','library','','01a1e181-8467-7abd-87d8-3f91c37c5642',0,1772366400000,1772366400000,X'D0C7D0E054FD0072','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"plain-1","entity_id":"01a1e181-8467-7abd-87d8-3f91c37c5642","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e181-8467-7abd-87d8-3f91c37c5642","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0);
INSERT INTO "streams" VALUES(2,'01a1e181-8473-7575-a7bc-cc9fd4766661','task','local','01a1e181-8467-7abd-87d8-3f91c37c5642',2,X'E55EA03A8D36750F8134887454F2A2C6A9D63270C69E15868592E06BAC239821',NULL,0,NULL,'running','','','library','','01a1e181-8467-7abd-87d8-3f91c37c5642',0,1772366400000,1772366400000,X'C7E21363661109AB','{"kind":"task","task_id":"01a1e181-8467-7abd-87d8-3f91c37c5642","entity_id":"01a1e181-8473-7575-a7bc-cc9fd4766661","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"plain-1","created_at":1772366400000,"updated_at":1772366400000}',0);
INSERT INTO "streams" VALUES(3,'01a1e181-8484-77fe-85b2-2cc883cc5a66','session','local','pinned-1',2,X'EDEA6EB2982BD126E231C48C0C6EFFB193BDCA31ADC433B8A9AEE798B008C667',NULL,0,NULL,'created','initializing','a','library','','01a1e181-8484-77fe-85b2-2cc883cc5a66',0,1772366400000,1772366400000,X'828B72FF8403958D','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"pinned-1","entity_id":"01a1e181-8484-77fe-85b2-2cc883cc5a66","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e181-8484-77fe-85b2-2cc883cc5a66","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":true,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0);
INSERT INTO "streams" VALUES(4,'01a1e181-8484-752b-905d-fc9f1b39fbdd','task','local','01a1e181-8484-77fe-85b2-2cc883cc5a66',2,X'FEC68C2B7D8CD3C4BA96E3EFF40C75399A230F43562F42218892F7870D67690F',NULL,0,NULL,'running','','','library','','01a1e181-8484-77fe-85b2-2cc883cc5a66',0,1772366400000,1772366400000,X'9B354F1AD2741034','{"kind":"task","task_id":"01a1e181-8484-77fe-85b2-2cc883cc5a66","entity_id":"01a1e181-8484-752b-905d-fc9f1b39fbdd","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"pinned-1","created_at":1772366400000,"updated_at":1772366400000}',0);
INSERT INTO "streams" VALUES(5,'01a1e181-848a-7660-a353-bea5997e0702','session','local','pinned-2',6,X'D6E4D6A4341BD9E43AC938CB47A34E6BD9E41819C0EED036304B4C8B1FBB8C5B',NULL,0,NULL,'completed','completed','a','library','','01a1e181-848a-7660-a353-bea5997e0702',0,1772366400000,1772366400000,X'7B17D9A2C52131FA','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"pinned-2","entity_id":"01a1e181-848a-7660-a353-bea5997e0702","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1e181-848a-7660-a353-bea5997e0702","observed":false,"parent":null,"status":"completed","suspend_reason":null,"suspended_until":null,"phase":"completed","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":{"at":1772366400000,"duration_ms":0,"summary":null},"pinned":true,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[{"from_phase":"initializing","to_phase":"completed","at":1772366400000}],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":1,"turns":1,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0);
INSERT INTO "streams" VALUES(6,'01a1e181-848b-7dcf-ad9e-55ce80722a5b','task','local','01a1e181-848a-7660-a353-bea5997e0702',3,X'2834A14EFABF3834508704A19DA2432FC7F80418B177E35456773A12B4A91CBA',NULL,0,NULL,'completed','','','library','','01a1e181-848a-7660-a353-bea5997e0702',0,1772366400000,1772366400000,X'4D46588F59709DD1','{"kind":"task","task_id":"01a1e181-848a-7660-a353-bea5997e0702","entity_id":"01a1e181-848b-7dcf-ad9e-55ce80722a5b","owner":"local","title":"agent:a","source":"library","status":"completed","priority":null,"est_hours":null,"added_at":null,"session_id":"pinned-2","created_at":1772366400000,"updated_at":1772366400000}',0);
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('streams',6);
COMMIT;
PRAGMA user_version = 2;
