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
, unsettled INTEGER NOT NULL DEFAULT 1, pinned INTEGER NOT NULL DEFAULT 0, bytes BLOB, opened TEXT) STRICT;
INSERT INTO streams VALUES(1,'01a1eec7-a95d-724e-a85e-c3603335db6c','session','local','idle-1',5,X'6e7d6f9e4995cb4f7fa14bd9f9f8f6de8986803b5bf8ffd1b31260d35c4d2852',NULL,0,NULL,'active','initializing','a','library','','01a1eec7-a95d-724e-a85e-c3603335db6c',0,1772366400000,1772366400000,X'530f14cb2ea4c6f9','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"idle-1","entity_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","observed":false,"parent":null,"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":4}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":3,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0,NULL,'[["turn",5]]');
INSERT INTO streams VALUES(2,'01a1eec7-a961-7e85-ac71-213a0bb5a9b4','task','local','01a1eec7-a95d-724e-a85e-c3603335db6c',3,X'76d3d057f7be7870b378b39ab49697553b57d34aeb02a472b34ae63ef0e83415',NULL,0,NULL,'running','','','library','','01a1eec7-a95d-724e-a85e-c3603335db6c',0,1772366400000,1772366400000,X'4821210f0247d079','{"kind":"task","task_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","entity_id":"01a1eec7-a961-7e85-ac71-213a0bb5a9b4","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"fork-1","created_at":1772366400000,"updated_at":1772366400000}',0,0,NULL,NULL);
INSERT INTO streams VALUES(3,'01a1eec7-a96a-721b-9bf5-269615ed0fc9','session','local','fork-1',8,X'309db1ed8ef94a136834bf7431ad91d83697fa2267f8da1b4a111b0beca4b24a','[[1,5]]',0,NULL,'active','initializing','a','library','','01a1eec7-a95d-724e-a85e-c3603335db6c',0,1772366400000,1772366400000,X'ca0660491c3b2ab1','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"fork-1","entity_id":"01a1eec7-a96a-721b-9bf5-269615ed0fc9","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","observed":false,"parent":{"session_id":"idle-1","entity_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","seq":5},"status":"active","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{"size":{"value":4}},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":4,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0,NULL,'[["turn",8]]');
INSERT INTO streams VALUES(4,'01a1eec7-a96e-7e35-884e-07c3b8761492','session','local','pinned-1',2,X'6c376eefb74bcdce295db19c07cd0dded5e8ba808f0d017659105d29ff3623a0',NULL,0,NULL,'created','initializing','a','library','','01a1eec7-a96e-7e35-884e-07c3b8761492',0,1772366400000,1772366400000,X'3921430a523339b8','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"pinned-1","entity_id":"01a1eec7-a96e-7e35-884e-07c3b8761492","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a96e-7e35-884e-07c3b8761492","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":true,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,1,NULL,NULL);
INSERT INTO streams VALUES(5,'01a1eec7-a96e-7370-a886-6fb5559abd49','task','local','01a1eec7-a96e-7e35-884e-07c3b8761492',2,X'556e97f7328d976b1b5a0003b56b4ee1005590964b1e79a0b8e18126fe7ab414',NULL,0,NULL,'running','','','library','','01a1eec7-a96e-7e35-884e-07c3b8761492',0,1772366400000,1772366400000,X'f5b2a6b824e0fa4e','{"kind":"task","task_id":"01a1eec7-a96e-7e35-884e-07c3b8761492","entity_id":"01a1eec7-a96e-7370-a886-6fb5559abd49","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"pinned-1","created_at":1772366400000,"updated_at":1772366400000}',0,0,NULL,NULL);
INSERT INTO streams VALUES(6,'01a1eec7-a971-7b20-b9a2-1d715d4f0332','session','local','ended-1',5,X'679b44a28ab0d4a62661fd1978297daad8ee2ce6db7ea544d7a0f90914fa4517',NULL,0,NULL,'cancelled','abandoned','b','library','','01a1eec7-a971-7b20-b9a2-1d715d4f0332',0,1772366400000,1772366400000,X'32a6fc089cbac671','{"kind":"session","agent_name":"b","supports_resume":false,"session_id":"ended-1","entity_id":"01a1eec7-a971-7b20-b9a2-1d715d4f0332","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a971-7b20-b9a2-1d715d4f0332","observed":false,"parent":null,"status":"cancelled","suspend_reason":null,"suspended_until":null,"phase":"abandoned","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":{"at":1772366400000,"duration_ms":0,"summary":null},"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[{"from_phase":"initializing","to_phase":"abandoned","at":1772366400000}],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":1,"turns":1,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0,NULL,'[["turn",3]]');
INSERT INTO streams VALUES(7,'01a1eec7-a971-7cc0-8bc7-264cfccbdbac','task','local','01a1eec7-a971-7b20-b9a2-1d715d4f0332',3,X'77130b9a3f9cf6242ba3115fab1a41c6c6b702f77ac3cdcb5ffc7df7e59074b5',NULL,0,NULL,'failed','','','library','','01a1eec7-a971-7b20-b9a2-1d715d4f0332',0,1772366400000,1772366400000,X'9750d04ce450a68e','{"kind":"task","task_id":"01a1eec7-a971-7b20-b9a2-1d715d4f0332","entity_id":"01a1eec7-a971-7cc0-8bc7-264cfccbdbac","owner":"local","title":"agent:b","source":"library","status":"failed","priority":null,"est_hours":null,"added_at":null,"session_id":"ended-1","created_at":1772366400000,"updated_at":1772366400000}',0,0,NULL,NULL);
INSERT INTO streams VALUES(8,'01a1eec7-a975-7594-b254-f6a3601a596c','session','local','held-1',1,X'4ae0de2e2172df9249556e4eb9a1464a3a9cdb30bc328acf68c2100b540545a1',NULL,1,'{"name":"driver","pid":4711,"start_time":1,"boot_id":"boot","renewed":1081411}','created','initializing','b','library','','01a1eec7-a975-7594-b254-f6a3601a596c',0,1772366400000,1772366400000,X'faea9a5838a3395f','{"kind":"session","agent_name":"b","supports_resume":false,"session_id":"held-1","entity_id":"01a1eec7-a975-7594-b254-f6a3601a596c","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a975-7594-b254-f6a3601a596c","observed":false,"parent":null,"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":0,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0,NULL,NULL);
INSERT INTO streams VALUES(9,'01a1eec7-a975-76a6-b882-ae33c7d4a9d3','task','local','01a1eec7-a975-7594-b254-f6a3601a596c',2,X'427b0ae406a2203e06e3bab747054a040448101e794b2632b829150546486afe',NULL,0,NULL,'running','','','library','','01a1eec7-a975-7594-b254-f6a3601a596c',0,1772366400000,1772366400000,X'4d84e342537a3c29','{"kind":"task","task_id":"01a1eec7-a975-7594-b254-f6a3601a596c","entity_id":"01a1eec7-a975-76a6-b882-ae33c7d4a9d3","owner":"local","title":"agent:b","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"held-1","created_at":1772366400000,"updated_at":1772366400000}',0,0,NULL,NULL);
INSERT INTO streams VALUES(10,'01a1eec7-a978-784c-acbf-aa814602dc51','purged','local','01a1eec7-a978-784c-acbf-aa814602dc51',3,X'1b771f26b480884cbffe0349a948948759270152f31cb19c2f2a6dc7bd3700d0',NULL,0,NULL,'','','','','','',0,0,0,X'd9b3f8c4cff66707','null',0,0,NULL,'[["turn",3]]');
INSERT INTO streams VALUES(11,'01a1eec7-a978-725b-81d7-3351a05b1874','task','local','01a1eec7-a978-784c-acbf-aa814602dc51',2,X'a90d2edd1f32e7262d159dc352506829fd62b848b89048a8c8734935f06de845',NULL,0,NULL,'running','','','library','','01a1eec7-a978-784c-acbf-aa814602dc51',0,1772366400000,1772366400000,X'ee3d357c5f15cf26','{"kind":"task","task_id":"01a1eec7-a978-784c-acbf-aa814602dc51","entity_id":"01a1eec7-a978-725b-81d7-3351a05b1874","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null,"session_id":"purged-1","created_at":1772366400000,"updated_at":1772366400000}',0,0,NULL,NULL);
INSERT INTO streams VALUES(12,'01a1eec7-a97a-758a-8265-23740e1b4e8a','session','local','orphan-1',4,X'5deac687dff4d3390b3640cec805e5e0be4008ac58731c9144da54f708cd9a57','[[10,3]]',0,NULL,'created','initializing','a','library','','01a1eec7-a978-784c-acbf-aa814602dc51',0,1772366400000,1772366400000,X'13028e9ad0e54521','{"kind":"session","agent_name":"a","supports_resume":false,"session_id":"orphan-1","entity_id":"01a1eec7-a97a-758a-8265-23740e1b4e8a","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a978-784c-acbf-aa814602dc51","observed":false,"parent":{"session_id":"purged-1","entity_id":"01a1eec7-a978-784c-acbf-aa814602dc51","seq":3},"status":"created","suspend_reason":null,"suspended_until":null,"phase":"initializing","run":1,"run_started_at":1772366400000,"created_at":1772366400000,"updated_at":1772366400000,"observation":null,"ended":null,"pinned":false,"deleted":null,"metadata":{},"resume_ready":true,"error_count":0,"last_error":null,"checkpoint_id":null,"restored":null,"agent":null,"recent_phases":[],"turn":null,"queue":[],"actions":[],"approvals":[],"last_action":null,"interrupt_requested":false,"counts":{"phases":0,"turns":1,"actions":0,"checkpoints":0,"approvals":0,"observations":0,"resumes":0},"usage":{"input_tokens":0,"output_tokens":0,"cost_usd":0}}',0,0,NULL,'[["turn",3]]');
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
, bytes BLOB, opens TEXT, row_key TEXT, opened INTEGER, crc INTEGER) STRICT;
INSERT INTO events VALUES(1,1,1,'session.created',1772366400000,'test','library',NULL,X'd5917689eba002c885ee1c0d80eaf979033886d21361554dd78e4527fba7d67e',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{"size":4},"supports_resume":false,"session_id":"idle-1","entity_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","observed":false}',NULL,NULL,NULL,NULL,47215517);
INSERT INTO events VALUES(2,2,1,'task.created',1772366400000,'test','library',NULL,X'd8f30ce230659d47c4519ff6ab49aecba5d2587ea6f00be835736ad5e5126656',NULL,NULL,NULL,NULL,'{"task_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","entity_id":"01a1eec7-a961-7e85-ac71-213a0bb5a9b4","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}',NULL,NULL,NULL,NULL,619785223);
INSERT INTO events VALUES(3,2,2,'task.followed',1772366400000,'test','library',NULL,X'e9f27cbf401fa5ac3633a52321d8702dae8356ae5d3a25cd9ba48c3c3a8ecc2c',NULL,NULL,NULL,NULL,'{"session_id":"idle-1","status":"running"}',NULL,NULL,NULL,NULL,1909869613);
INSERT INTO events VALUES(4,1,2,'session.activated',1772366400000,'test','library',NULL,X'8b7f81397a728c19977b6303b345f8bacfa5dfb1c1aebf4f96244e23982f76ce',NULL,NULL,NULL,NULL,'{}',NULL,NULL,NULL,NULL,2246537426);
INSERT INTO events VALUES(5,1,3,'turn.recorded',1772366400000,'test','library',NULL,X'7d14514880b45cc530b703bc8eb8cee8061bea10274852f8f8740e6f4061caba',NULL,NULL,NULL,NULL,'{"turn_id":"01a1eec7-a966-7208-98d3-9c65d3786d9a","input":"question 1","output":"answer 1","usage":null}',NULL,'turn',NULL,0,6265183);
INSERT INTO events VALUES(6,1,4,'turn.recorded',1772366400000,'test','library',NULL,X'd79376b5485f5b23f3357762908a32e3b7d66d04ad7825e13eaa47e41f2cc138','["local/record_turn","second"]','J620P0BnKnc402UmTikm197szDGuVA64MOKZPW7EMc8',1,NULL,'{"turn_id":"50dc97d8-057f-80e3-a51f-90feba336ae4","input":"question 2","output":"answer 2","usage":null}',NULL,'turn',NULL,3,308867727);
INSERT INTO events VALUES(7,1,5,'turn.recorded',1772366400000,'test','library',NULL,X'6e7d6f9e4995cb4f7fa14bd9f9f8f6de8986803b5bf8ffd1b31260d35c4d2852',NULL,NULL,NULL,NULL,'{"turn_id":"01a1eec7-a968-721d-a9ed-60a7122f8785","input":"question 3","output":"answer 3","usage":null}',NULL,'turn',NULL,4,418201601);
INSERT INTO events VALUES(8,3,6,'session.forked',1772366400000,'test','library',NULL,X'500bcd24ff406950315ac56127ecdf22dded1ef44157fc9ad21d5f3ac6898d8d',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","entity_id":"01a1eec7-a96a-721b-9bf5-269615ed0fc9","owner":"local","interface":"library","title":null,"parent":{"session_id":"idle-1","entity_id":"01a1eec7-a95d-724e-a85e-c3603335db6c","seq":5}}',NULL,NULL,NULL,NULL,3867374648);
INSERT INTO events VALUES(9,3,7,'session.activated',1772366400000,'test','library',NULL,X'153085d7f0aff21ec3eb3f931c9897ac9d8d4fdab0ab2582a457f306a484d7e1',NULL,NULL,NULL,NULL,'{}',NULL,NULL,NULL,NULL,632451996);
INSERT INTO events VALUES(10,3,8,'turn.recorded',1772366400000,'test','library',NULL,X'309db1ed8ef94a136834bf7431ad91d83697fa2267f8da1b4a111b0beca4b24a',NULL,NULL,NULL,NULL,'{"turn_id":"01a1eec7-a96d-7dc8-bf7e-dbfafe9adc7a","input":"question 4","output":"answer 4","usage":null}',NULL,'turn',NULL,5,2004671853);
INSERT INTO events VALUES(11,2,3,'task.followed',1772366400000,'test','library',NULL,X'76d3d057f7be7870b378b39ab49697553b57d34aeb02a472b34ae63ef0e83415',NULL,NULL,NULL,NULL,'{"session_id":"fork-1","status":"running"}',NULL,NULL,NULL,NULL,2545193072);
INSERT INTO events VALUES(12,4,1,'session.created',1772366400000,'test','library',NULL,X'1c6ef1b95b0325615ff91604fa505d7350fe814134ff186ee47498d8310159b8',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"pinned-1","entity_id":"01a1eec7-a96e-7e35-884e-07c3b8761492","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a96e-7e35-884e-07c3b8761492","observed":false}',NULL,NULL,NULL,NULL,133701406);
INSERT INTO events VALUES(13,5,1,'task.created',1772366400000,'test','library',NULL,X'b2e06cbd38e53839deceedb3b80eb3688554615e33e2f168b14515aa4e619012',NULL,NULL,NULL,NULL,'{"task_id":"01a1eec7-a96e-7e35-884e-07c3b8761492","entity_id":"01a1eec7-a96e-7370-a886-6fb5559abd49","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}',NULL,NULL,NULL,NULL,2055170101);
INSERT INTO events VALUES(14,5,2,'task.followed',1772366400000,'test','library',NULL,X'556e97f7328d976b1b5a0003b56b4ee1005590964b1e79a0b8e18126fe7ab414',NULL,NULL,NULL,NULL,'{"session_id":"pinned-1","status":"running"}',NULL,NULL,NULL,NULL,2085132134);
INSERT INTO events VALUES(15,4,2,'session.pinned',1772366400000,'test','library',NULL,X'6c376eefb74bcdce295db19c07cd0dded5e8ba808f0d017659105d29ff3623a0',NULL,NULL,NULL,NULL,'{}',NULL,NULL,NULL,NULL,1588120003);
INSERT INTO events VALUES(16,6,1,'session.created',1772366400000,'test','library',NULL,X'26d9a3be67f37db064cc0ecbb95748c73899e098dd6d61f86a798a63fdac6585',NULL,NULL,NULL,NULL,'{"agent_name":"b","metadata":{},"supports_resume":false,"session_id":"ended-1","entity_id":"01a1eec7-a971-7b20-b9a2-1d715d4f0332","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a971-7b20-b9a2-1d715d4f0332","observed":false}',NULL,NULL,NULL,NULL,4128769936);
INSERT INTO events VALUES(17,7,1,'task.created',1772366400000,'test','library',NULL,X'6d5fff0c93008d3d078c826f4e614f29817cd044b84c7d6de0eb3ea5733da59b',NULL,NULL,NULL,NULL,'{"task_id":"01a1eec7-a971-7b20-b9a2-1d715d4f0332","entity_id":"01a1eec7-a971-7cc0-8bc7-264cfccbdbac","owner":"local","title":"agent:b","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}',NULL,NULL,NULL,NULL,1694261136);
INSERT INTO events VALUES(18,7,2,'task.followed',1772366400000,'test','library',NULL,X'53b59f5bdc9579ea28b4072820c3699cf0651e33f76e1c769358c1047f4f0a50',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"running"}',NULL,NULL,NULL,NULL,1885898777);
INSERT INTO events VALUES(19,6,2,'session.activated',1772366400000,'test','library',NULL,X'bd56fb89863115eb480d1dd312a529c51f10dd0df4e26654b67d46fb7957e4b2',NULL,NULL,NULL,NULL,'{}',NULL,NULL,NULL,NULL,2542984351);
INSERT INTO events VALUES(20,6,3,'turn.recorded',1772366400000,'test','library',NULL,X'5f9ffd00dc6373693af6817b5ab82ccbbea45a084394e40dd153ff66395e1522',NULL,NULL,NULL,NULL,'{"turn_id":"01a1eec7-a972-72cb-9631-44e5a059cc96","input":"é 漢字","output":"😀","usage":null}',NULL,'turn',NULL,0,3301180014);
INSERT INTO events VALUES(21,6,4,'phase.changed',1772366400000,'test','library',NULL,X'8fcdde3a70223f3d4e663c2619711f6f9a2bbc19108d8bdfcf404c60db4efb7e',NULL,NULL,NULL,NULL,'{"from":"initializing","to":"abandoned"}',NULL,NULL,NULL,NULL,4121788484);
INSERT INTO events VALUES(22,6,5,'session.cancelled',1772366400000,'test','library',NULL,X'679b44a28ab0d4a62661fd1978297daad8ee2ce6db7ea544d7a0f90914fa4517',NULL,NULL,NULL,NULL,'{"summary":null,"duration_ms":0}',NULL,NULL,NULL,NULL,692123489);
INSERT INTO events VALUES(23,7,3,'task.followed',1772366400000,'test','library',NULL,X'77130b9a3f9cf6242ba3115fab1a41c6c6b702f77ac3cdcb5ffc7df7e59074b5',NULL,NULL,NULL,NULL,'{"session_id":"ended-1","status":"failed"}',NULL,NULL,NULL,NULL,2475040328);
INSERT INTO events VALUES(24,8,1,'session.created',1772366400000,'test','library',NULL,X'4ae0de2e2172df9249556e4eb9a1464a3a9cdb30bc328acf68c2100b540545a1',NULL,NULL,NULL,NULL,'{"agent_name":"b","metadata":{},"supports_resume":false,"session_id":"held-1","entity_id":"01a1eec7-a975-7594-b254-f6a3601a596c","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a975-7594-b254-f6a3601a596c","observed":false}',NULL,NULL,NULL,NULL,3508545068);
INSERT INTO events VALUES(25,9,1,'task.created',1772366400000,'test','library',NULL,X'37fee3cfe787a66bcf340bef528c4f931ca186b917020ddda437a460226439d1',NULL,NULL,NULL,NULL,'{"task_id":"01a1eec7-a975-7594-b254-f6a3601a596c","entity_id":"01a1eec7-a975-76a6-b882-ae33c7d4a9d3","owner":"local","title":"agent:b","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}',NULL,NULL,NULL,NULL,3240466902);
INSERT INTO events VALUES(26,9,2,'task.followed',1772366400000,'test','library',NULL,X'427b0ae406a2203e06e3bab747054a040448101e794b2632b829150546486afe',NULL,NULL,NULL,NULL,'{"session_id":"held-1","status":"running"}',NULL,NULL,NULL,NULL,1604134543);
INSERT INTO events VALUES(27,10,1,'session.created',1772366400000,'test','library',NULL,X'65857269915e8378fcc68f86eb6e5769d5609f247d8d1998c1f4a1f1836ff662',NULL,NULL,NULL,NULL,'{"agent_name":"a","metadata":{},"supports_resume":false,"session_id":"purged-1","entity_id":"01a1eec7-a978-784c-acbf-aa814602dc51","owner":"local","interface":"library","purpose":null,"title":null,"project":null,"task_id":"01a1eec7-a978-784c-acbf-aa814602dc51","observed":false}',NULL,NULL,NULL,NULL,2831224502);
INSERT INTO events VALUES(28,11,1,'task.created',1772366400000,'test','library',NULL,X'88665411c60c9ed101dac3d42ec1a02eef37343811b4507dff1758d2b7b2134a',NULL,NULL,NULL,NULL,'{"task_id":"01a1eec7-a978-784c-acbf-aa814602dc51","entity_id":"01a1eec7-a978-725b-81d7-3351a05b1874","owner":"local","title":"agent:a","source":"library","status":"running","priority":null,"est_hours":null,"added_at":null}',NULL,NULL,NULL,NULL,610058572);
INSERT INTO events VALUES(29,11,2,'task.followed',1772366400000,'test','library',NULL,X'a90d2edd1f32e7262d159dc352506829fd62b848b89048a8c8734935f06de845',NULL,NULL,NULL,NULL,'{"session_id":"purged-1","status":"running"}',NULL,NULL,NULL,NULL,2561768837);
INSERT INTO events VALUES(30,10,2,'session.activated',1772366400000,'test','library',NULL,X'd7cccdd3a4c2f1b81cf3c0e8b0138ad394bb3215c33362cbbd9a4b72cf70bdaa',NULL,NULL,NULL,NULL,'{}',NULL,NULL,NULL,NULL,3113366954);
INSERT INTO events VALUES(31,10,3,'turn.recorded',1772366400000,'test','library',NULL,X'1b771f26b480884cbffe0349a948948759270152f31cb19c2f2a6dc7bd3700d0',NULL,NULL,NULL,NULL,'{"turn_id":"01a1eec7-a979-7b1f-920d-0f06819ba22d","input":"question 1","output":"answer 1","usage":null}',NULL,'turn',NULL,0,3691548214);
INSERT INTO events VALUES(32,12,4,'session.forked',1772366400000,'test','library',NULL,X'5deac687dff4d3390b3640cec805e5e0be4008ac58731c9144da54f708cd9a57',NULL,NULL,NULL,NULL,'{"session_id":"orphan-1","entity_id":"01a1eec7-a97a-758a-8265-23740e1b4e8a","owner":"local","interface":"library","title":null,"parent":{"session_id":"purged-1","entity_id":"01a1eec7-a978-784c-acbf-aa814602dc51","seq":3}}',NULL,NULL,NULL,NULL,24026142);
CREATE TABLE rows (
  sid INTEGER NOT NULL,
  kind TEXT NOT NULL,
  place INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT,
  sum BLOB NOT NULL,
  data TEXT NOT NULL, bytes BLOB,
  PRIMARY KEY (sid, kind, place, nth, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO "rows" VALUES(6,'phase',4,0,4,NULL,X'99744ed9bb6ff40f','{"from_phase":"initializing","to_phase":"abandoned","at":1772366400000}',NULL);
CREATE TABLE heads (
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL, bytes BLOB,
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
INSERT INTO names VALUES('local','fork:01a1eec7-a95d-724e-a85e-c3603335db6c',8,3,6,X'1b35aa34b7bf838a');
INSERT INTO names VALUES('local','fork:01a1eec7-a978-784c-acbf-aa814602dc51',32,12,4,X'249f1e2d0528f504');
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO tombstones VALUES('01a1eec7-a978-784c-acbf-aa814602dc51',3,X'1b771f26b480884cbffe0349a948948759270152f31cb19c2f2a6dc7bd3700d0',1772366400000);
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
CREATE TABLE blob_chunks (
  bid INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  sum BLOB NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE TABLE blob_holders (
  sid INTEGER NOT NULL,
  bid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (sid, bid)
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('streams',12);
CREATE UNIQUE INDEX streams_by_id ON streams (id);
CREATE UNIQUE INDEX streams_by_key ON streams (kind, owner, key);
CREATE INDEX streams_by_activity ON streams (kind, owner, activity);
CREATE INDEX streams_by_status ON streams (kind, owner, status, activity);
CREATE INDEX streams_by_agent ON streams (kind, owner, agent, status, activity);
CREATE INDEX streams_by_task ON streams (kind, owner, task, activity);
CREATE INDEX streams_by_parent ON streams (json_extract(lineage, '$[#-1][0]'), json_extract(lineage, '$[#-1][1]'))
  WHERE lineage IS NOT NULL;
CREATE INDEX streams_waiting ON streams (kind, owner, activity) WHERE waiting > 0;
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
CREATE INDEX events_by_seq ON events (sid, seq, opens);
CREATE INDEX events_by_row_key ON events (sid, opens, row_key) WHERE row_key IS NOT NULL;
COMMIT;
PRAGMA user_version = 7;
