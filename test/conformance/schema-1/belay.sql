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
) STRICT;
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_by_idem ON events (idem) WHERE idem IS NOT NULL AND origin IS NULL;
CREATE UNIQUE INDEX events_by_seq ON events (sid, seq);
CREATE UNIQUE INDEX names_by_stream ON names (sid, name);
CREATE INDEX rows_by_key ON rows (sid, kind, key) WHERE key IS NOT NULL;
CREATE INDEX streams_by_activity ON streams (kind, owner, activity);
CREATE INDEX streams_by_agent ON streams (kind, owner, agent, status, activity);
CREATE UNIQUE INDEX streams_by_id ON streams (id);
CREATE UNIQUE INDEX streams_by_key ON streams (kind, owner, key);
CREATE INDEX streams_by_parent ON streams (json_extract(lineage, '$[#-1][0]'), json_extract(lineage, '$[#-1][1]'))
  WHERE lineage IS NOT NULL;
CREATE INDEX streams_by_status ON streams (kind, owner, status, activity);
CREATE INDEX streams_by_task ON streams (kind, owner, task, activity);
CREATE INDEX streams_waiting ON streams (kind, owner, activity) WHERE waiting > 0;
CREATE TRIGGER positions_are_never_used_again AFTER DELETE ON events BEGIN
  UPDATE meta SET value = max(value, OLD.pos) WHERE name = 'position_floor';
END;
INSERT INTO streams VALUES (1, '4cc9c9b7-8667-7836-8e1d-16ec0ab5357c', 'session', 'local', 'idle-1', 3, X'AAEFF7BE88735A12AB36BE894ACBAE5F343EC76D41D451C4AC6325753DE005D6', NULL, 0, NULL, 'active', 'initializing', 'worker', 'library', '', '4cc9c9b7-8667-7836-8e1d-16ec0ab5357c', 0, 1772366400000, 1772366400000, X'96FE6E2FC50F3B1B', '{"kind":"session","agent_name":"worker","supports_resume":false,"session_id":"idle-1","entity_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","owner":"local","interface":"library","purpose":"idly waits","title":null,"project":null,"task_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","observed":false,"parent":null,"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":1,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}');
INSERT INTO streams VALUES (2, '21941a78-4136-7660-8dfe-67587edac300', 'task', 'local', '4cc9c9b7-8667-7836-8e1d-16ec0ab5357c', 2, X'306D18164132E3ED6728145DABF66016DCCCCC8E299CA917E1B9143A294DE91F', NULL, 0, NULL, 'running', '', '', 'library', '', '4cc9c9b7-8667-7836-8e1d-16ec0ab5357c', 0, 1772366400000, 1772366400000, X'6C01E739399E8D03', '{"kind":"task","task_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","entity_id":"21941a78-4136-7660-8dfe-67587edac300","owner":"local","title":"agent:worker","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"idle-1","created_at":1772366400000,"updated_at":1772366400000}');
INSERT INTO streams VALUES (3, 'cbe91ecb-e7d3-7db2-8301-be6d57a8b668', 'session', 'local', 'busy-1', 3, X'8914CF89441416D4383FD3FE01FC42E53C348B97D07753FCA61A9A7C443B0E0A', NULL, 0, NULL, 'active', 'initializing', 'worker', 'library', '', 'cbe91ecb-e7d3-7db2-8301-be6d57a8b668', 0, 1772366400000, 1772366400000, X'563C318F604CFE72', '{"kind":"session","agent_name":"worker","supports_resume":false,"session_id":"busy-1","entity_id":"cbe91ecb-e7d3-7db2-8301-be6d57a8b668","owner":"local","interface":"library","purpose":"left behind","title":null,"project":null,"task_id":"cbe91ecb-e7d3-7db2-8301-be6d57a8b668","observed":false,"parent":null,"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[{"id":"2ad0e24b-58cf-754f-853b-d194fd3c4c56","seq":3,"effects":"remote"}],"approvals":[],"last_action":{"id":"2ad0e24b-58cf-754f-853b-d194fd3c4c56","status":"started","effects":"remote"},"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":1,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}');
INSERT INTO streams VALUES (4, '0e2ebb74-e55c-7ba9-8c04-f094dd5cde12', 'task', 'local', 'cbe91ecb-e7d3-7db2-8301-be6d57a8b668', 2, X'D18A2B3E5EC6920175885294E50229884FA2D9FD14E58583732F7C0F2DC3E568', NULL, 0, NULL, 'running', '', '', 'library', '', 'cbe91ecb-e7d3-7db2-8301-be6d57a8b668', 0, 1772366400000, 1772366400000, X'2A5901480F08009B', '{"kind":"task","task_id":"cbe91ecb-e7d3-7db2-8301-be6d57a8b668","entity_id":"0e2ebb74-e55c-7ba9-8c04-f094dd5cde12","owner":"local","title":"agent:worker","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"busy-1","created_at":1772366400000,"updated_at":1772366400000}');
INSERT INTO streams VALUES (5, 'd6b8e799-a22c-7a26-828f-51b3ccac8c03', 'session', 'local', 'asleep-1', 3, X'9C7FDC89F57F637AD64253EE59585EB36B1854D008A58D02C95E2A924B0ECDDC', NULL, 0, NULL, 'suspended', 'initializing', 'worker', 'library', '', 'd6b8e799-a22c-7a26-828f-51b3ccac8c03', 0, 1772366400000, 1772366400000, X'885F751739CE8BC7', '{"kind":"session","agent_name":"worker","supports_resume":false,"session_id":"asleep-1","entity_id":"d6b8e799-a22c-7a26-828f-51b3ccac8c03","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"d6b8e799-a22c-7a26-828f-51b3ccac8c03","observed":false,"parent":null,"status":"suspended","suspend_reason":"user_requested","suspended_until":1772370000000,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":"0030adbe-7c42-7a5e-8496-30cca75b10a1","restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":1,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}');
INSERT INTO streams VALUES (6, 'db445db1-2c6a-7af1-8233-2110f491263f', 'task', 'local', 'd6b8e799-a22c-7a26-828f-51b3ccac8c03', 3, X'4FBB820593E779DE22F938DD721F93A7B3CFE08116B08D5E9BCBC10A405A63C5', NULL, 0, NULL, 'suspended', '', '', 'library', '', 'd6b8e799-a22c-7a26-828f-51b3ccac8c03', 0, 1772366400000, 1772366400000, X'FD67FE396814DCC1', '{"kind":"task","task_id":"d6b8e799-a22c-7a26-828f-51b3ccac8c03","entity_id":"db445db1-2c6a-7af1-8233-2110f491263f","owner":"local","title":"agent:worker","source":"library","status":"suspended","priority":null,"est_hours":null,"added_at":null,"session_id":"asleep-1","created_at":1772366400000,"updated_at":1772366400000}');
INSERT INTO streams VALUES (7, '55edeb34-bd4a-77d2-8470-dd15b83bf4d5', 'session', 'local', 'ended-1', 3, X'780CB0919CF6BE79BC5911BEDF9ADBE41BFCA2210654FBE0D81EA0BDE05579D5', NULL, 0, NULL, 'completed', 'completed', 'worker', 'library', '', '55edeb34-bd4a-77d2-8470-dd15b83bf4d5', 0, 1772366400000, 1772366400000, X'7225D824D95D9F4F', '{"kind":"session","agent_name":"worker","supports_resume":false,"session_id":"ended-1","entity_id":"55edeb34-bd4a-77d2-8470-dd15b83bf4d5","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"55edeb34-bd4a-77d2-8470-dd15b83bf4d5","observed":false,"parent":null,"status":"completed","suspend_reason":null,"suspended_until":null,"phase":"completed","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":{"at":1772366400000,"duration_ms":0,"summary":"done"},"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[{"from_phase":"initializing","to_phase":"completed","at":1772366400000}],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":1,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}');
INSERT INTO streams VALUES (8, '90a11165-a742-7a0e-813d-c8e0fcf1a33d', 'task', 'local', '55edeb34-bd4a-77d2-8470-dd15b83bf4d5', 3, X'04D24A7D33F9F9C99DF45CEA4A15482F97F415CA812EE6F4314400EDF7DF1B34', NULL, 0, NULL, 'completed', '', '', 'library', '', '55edeb34-bd4a-77d2-8470-dd15b83bf4d5', 0, 1772366400000, 1772366400000, X'3555D91B3570B2A6', '{"kind":"task","task_id":"55edeb34-bd4a-77d2-8470-dd15b83bf4d5","entity_id":"90a11165-a742-7a0e-813d-c8e0fcf1a33d","owner":"local","title":"agent:worker","source":"library","status":"completed","priority":null,"est_hours":null,"added_at":null,"session_id":"ended-1","created_at":1772366400000,"updated_at":1772366400000}');
INSERT INTO streams VALUES (9, 'd628c913-2d30-7526-88f3-0aa02edc0845', 'session', 'local', 'fork-1', 4, X'BE41CF1D523F3AB95B5810D4BD55B62A5F08708FDF7DFEBC80F5B5A9C1D7BD1C', '[[1,3]]', 0, NULL, 'created', 'initializing', 'worker', 'library', '', '4cc9c9b7-8667-7836-8e1d-16ec0ab5357c', 0, 1772366400000, 1772366400000, X'44174DD2D4633359', '{"kind":"session","agent_name":"worker","supports_resume":false,"session_id":"fork-1","entity_id":"d628c913-2d30-7526-88f3-0aa02edc0845","owner":"local","interface":"library","purpose":"idly waits","title":null,"project":null,"task_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","observed":false,"parent":{"session_id":"idle-1","entity_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","seq":3},"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":1,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}');
INSERT INTO events VALUES (1, 1, 1, 'session.created', 1772366400000, 'tester', 'library', NULL, X'BEB3AA7616A041B1141313C83CF5212BF61ECBFF11AABBEF76D086DEC5DD920A', NULL, NULL, NULL, NULL, '{"agent_name":"worker","metadata":{},"supports_resume":false,"session_id":"idle-1","entity_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","owner":"local","interface":"library","purpose":"idly waits","title":null,"project":null,"task_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","observed":false}');
INSERT INTO events VALUES (2, 2, 1, 'task.created', 1772366400000, 'tester', 'library', NULL, X'9415476AECC29C1C2F277B48ADEC1B9B8A7CB4C991D82CD8320643162B6A764C', NULL, NULL, NULL, NULL, '{"task_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","entity_id":"21941a78-4136-7660-8dfe-67587edac300","owner":"local","title":"agent:worker","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES (3, 2, 2, 'task.followed', 1772366400000, 'tester', 'library', NULL, X'306D18164132E3ED6728145DABF66016DCCCCC8E299CA917E1B9143A294DE91F', NULL, NULL, NULL, NULL, '{"session_id":"idle-1","status":"running"}');
INSERT INTO events VALUES (4, 3, 1, 'session.created', 1772366400000, 'tester', 'library', NULL, X'E75252662579002AB48AC4F0CAF43BEA46524C5C01CAA938FEB37D9E4FC3DF04', NULL, NULL, NULL, NULL, '{"agent_name":"worker","metadata":{},"supports_resume":false,"session_id":"busy-1","entity_id":"cbe91ecb-e7d3-7db2-8301-be6d57a8b668","owner":"local","interface":"library","purpose":"left behind","title":null,"project":null,"task_id":"cbe91ecb-e7d3-7db2-8301-be6d57a8b668","observed":false}');
INSERT INTO events VALUES (5, 4, 1, 'task.created', 1772366400000, 'tester', 'library', NULL, X'3FCE3B0AD3621391BA05F2B3292D8C817B65ED92F70BBFA7819193960D4A4477', NULL, NULL, NULL, NULL, '{"task_id":"cbe91ecb-e7d3-7db2-8301-be6d57a8b668","entity_id":"0e2ebb74-e55c-7ba9-8c04-f094dd5cde12","owner":"local","title":"agent:worker","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES (6, 4, 2, 'task.followed', 1772366400000, 'tester', 'library', NULL, X'D18A2B3E5EC6920175885294E50229884FA2D9FD14E58583732F7C0F2DC3E568', NULL, NULL, NULL, NULL, '{"session_id":"busy-1","status":"running"}');
INSERT INTO events VALUES (7, 3, 2, 'session.activated', 1772366400000, 'tester', 'library', NULL, X'0F77FEDA15E911F3405D2FADCA1E416A433D3691BF3C9FB838934BC743628FF4', NULL, NULL, NULL, NULL, '{}');
INSERT INTO events VALUES (8, 3, 3, 'action.started', 1772366400000, 'tester', 'library', NULL, X'8914CF89441416D4383FD3FE01FC42E53C348B97D07753FCA61A9A7C443B0E0A', NULL, NULL, NULL, NULL, '{"action_id":"2ad0e24b-58cf-754f-853b-d194fd3c4c56","turn_id":null,"effects":"remote","idempotent":false,"idempotency_key":null,"detachable":false,"orphanable":false,"rollback":[],"process":null,"details":{},"type":"deploy"}');
INSERT INTO events VALUES (9, 5, 1, 'session.created', 1772366400000, 'tester', 'library', NULL, X'E25BC02A9D0EC97D861EB6828265BC6EE1E11A28A1A6FDAE7ABD62FA1E58ABA0', NULL, NULL, NULL, NULL, '{"agent_name":"worker","metadata":{},"supports_resume":false,"session_id":"asleep-1","entity_id":"d6b8e799-a22c-7a26-828f-51b3ccac8c03","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"d6b8e799-a22c-7a26-828f-51b3ccac8c03","observed":false}');
INSERT INTO events VALUES (10, 6, 1, 'task.created', 1772366400000, 'tester', 'library', NULL, X'D53024C6A5D6A7222DCF6A40D82D24E297B95A26482B1036F906BB881A44750E', NULL, NULL, NULL, NULL, '{"task_id":"d6b8e799-a22c-7a26-828f-51b3ccac8c03","entity_id":"db445db1-2c6a-7af1-8233-2110f491263f","owner":"local","title":"agent:worker","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES (11, 6, 2, 'task.followed', 1772366400000, 'tester', 'library', NULL, X'7605837BCB14BB5428207019D221608C0ACE4772945E23A04A3DCDDC2E78D789', NULL, NULL, NULL, NULL, '{"session_id":"asleep-1","status":"running"}');
INSERT INTO events VALUES (12, 5, 2, 'checkpoint.saved', 1772366400000, 'tester', 'library', NULL, X'831CB24D5F78D51A74F7FF3BAD968C384544F3955239A234F4A9F6310EAAA699', NULL, NULL, NULL, NULL, '{"checkpoint_id":"0030adbe-7c42-7a5e-8496-30cca75b10a1","name":"suspended-0030adbe-7c42-7a5e-8496-30cca75b10a1","state":{"reason":"user_requested","phase":"initializing","turn_count":0,"as_of_seq":1,"history":[]}}');
INSERT INTO events VALUES (13, 5, 3, 'session.suspended', 1772366400000, 'tester', 'library', NULL, X'9C7FDC89F57F637AD64253EE59585EB36B1854D008A58D02C95E2A924B0ECDDC', NULL, NULL, NULL, NULL, '{"reason":"user_requested","checkpoint_id":"0030adbe-7c42-7a5e-8496-30cca75b10a1","until":1772370000000}');
INSERT INTO events VALUES (14, 6, 3, 'task.followed', 1772366400000, 'tester', 'library', NULL, X'4FBB820593E779DE22F938DD721F93A7B3CFE08116B08D5E9BCBC10A405A63C5', NULL, NULL, NULL, NULL, '{"session_id":"asleep-1","status":"suspended"}');
INSERT INTO events VALUES (15, 7, 1, 'session.created', 1772366400000, 'tester', 'library', NULL, X'065BD0DF6648E7070FF2021A10F90C8418ED8783222916CA3B7531CD3434B697', NULL, NULL, NULL, NULL, '{"agent_name":"worker","metadata":{},"supports_resume":false,"session_id":"ended-1","entity_id":"55edeb34-bd4a-77d2-8470-dd15b83bf4d5","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"55edeb34-bd4a-77d2-8470-dd15b83bf4d5","observed":false}');
INSERT INTO events VALUES (16, 8, 1, 'task.created', 1772366400000, 'tester', 'library', NULL, X'F8D1B662DB6B3C0FFAF2861F0F1505D922270579C582990C83FA88EF52CC1C73', NULL, NULL, NULL, NULL, '{"task_id":"55edeb34-bd4a-77d2-8470-dd15b83bf4d5","entity_id":"90a11165-a742-7a0e-813d-c8e0fcf1a33d","owner":"local","title":"agent:worker","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}');
INSERT INTO events VALUES (17, 8, 2, 'task.followed', 1772366400000, 'tester', 'library', NULL, X'ED4A6DA88742089C884133BD6257158813ADE0653A26CBCCEFC8158177476ACF', NULL, NULL, NULL, NULL, '{"session_id":"ended-1","status":"running"}');
INSERT INTO events VALUES (18, 7, 2, 'phase.changed', 1772366400000, 'tester', 'library', NULL, X'15BA2AFE9D0ADB88269B6EB315D80D9CD7D46F5A298EC7C8BEB94E5854CD1EA8', NULL, NULL, NULL, NULL, '{"from":"initializing","to":"completed"}');
INSERT INTO events VALUES (19, 7, 3, 'session.completed', 1772366400000, 'tester', 'library', NULL, X'780CB0919CF6BE79BC5911BEDF9ADBE41BFCA2210654FBE0D81EA0BDE05579D5', NULL, NULL, NULL, NULL, '{"summary":"done","duration_ms":0}');
INSERT INTO events VALUES (20, 8, 3, 'task.followed', 1772366400000, 'tester', 'library', NULL, X'04D24A7D33F9F9C99DF45CEA4A15482F97F415CA812EE6F4314400EDF7DF1B34', NULL, NULL, NULL, NULL, '{"session_id":"ended-1","status":"completed"}');
INSERT INTO events VALUES (21, 1, 2, 'session.activated', 1772366400000, 'tester', 'library', NULL, X'EAE691A6F0BCA41FC0C291018BC0175511F5121E4C57768AFACBD280BAB6F047', NULL, NULL, NULL, NULL, '{}');
INSERT INTO events VALUES (22, 1, 3, 'turn.recorded', 1772366400000, 'tester', 'library', NULL, X'AAEFF7BE88735A12AB36BE894ACBAE5F343EC76D41D451C4AC6325753DE005D6', NULL, NULL, NULL, NULL, '{"turn_id":"22c4822b-9ee6-73b4-8732-91f7a0b8f3da","input":"hello","output":"hello, you","usage":null}');
INSERT INTO events VALUES (23, 9, 4, 'session.forked', 1772366400000, 'tester', 'library', NULL, X'BE41CF1D523F3AB95B5810D4BD55B62A5F08708FDF7DFEBC80F5B5A9C1D7BD1C', NULL, NULL, NULL, NULL, '{"session_id":"fork-1","entity_id":"d628c913-2d30-7526-88f3-0aa02edc0845","owner":"local","interface":"library","title":null,"parent":{"session_id":"idle-1","entity_id":"4cc9c9b7-8667-7836-8e1d-16ec0ab5357c","seq":3}}');
INSERT INTO rows VALUES (1, 'turn', 3, 0, 3, NULL, X'A226AEA2EE564A11', '{}');
INSERT INTO rows VALUES (3, 'action', 3, 0, 3, 'deploy', X'940F80418997A2E7', '{"action_id":"2ad0e24b-58cf-754f-853b-d194fd3c4c56","turn_id":null,"type":"deploy","effects":"remote","status":"started","details":{},"timestamp":"2026-03-01T12:00:00.000Z"}');
INSERT INTO rows VALUES (5, 'checkpoint', 2, 0, 2, 'suspended-0030adbe-7c42-7a5e-8496-30cca75b10a1', X'23F52209A9D1D622', '{"checkpoint_id":"0030adbe-7c42-7a5e-8496-30cca75b10a1","name":"suspended-0030adbe-7c42-7a5e-8496-30cca75b10a1","timestamp":"2026-03-01T12:00:00.000Z","saved":2}');
INSERT INTO rows VALUES (7, 'phase', 2, 0, 2, NULL, X'74B29D238B2E54B3', '{"from_phase":"initializing","to_phase":"completed","at":1772366400000}');
INSERT INTO meta VALUES ('position_floor', 0);
PRAGMA user_version = 1;
