/** The example payloads of the agent_session schema document, copied exactly. */
export const MINIMAL = {
  session_id: "abc123",
  actions: [
    {
      type: "create_feature_unit",
      result: "success",
    },
  ],
  started_at: "2025-12-31T11:00:00Z",
};

export const COMPLETE = {
  session_id: "abc123",
  actions: [
    {
      type: "create_feature_unit",
      result: "success",
      details: { feature_unit_id: "FU-061" },
      timestamp: "2025-12-31T11:15:00Z",
    },
    {
      type: "run_tests",
      result: "passed",
      details: { test_count: 42, pass_count: 42 },
      timestamp: "2025-12-31T11:30:00Z",
    },
    {
      type: "commit",
      result: "success",
      details: { commit_sha: "abc123def" },
      timestamp: "2025-12-31T11:45:00Z",
    },
  ],
  checkpoints: [
    {
      name: "spec_complete",
      state: { feature_unit_id: "FU-061", status: "planning" },
      timestamp: "2025-12-31T11:15:00Z",
    },
    {
      name: "tests_passing",
      state: { feature_unit_id: "FU-061", status: "in_progress" },
      timestamp: "2025-12-31T11:30:00Z",
    },
  ],
  outcomes: [
    {
      type: "feature_unit_created",
      id: "FU-061",
      details: { description: "Add sources table" },
    },
  ],
  duration: 3600,
  started_at: "2025-12-31T11:00:00Z",
  ended_at: "2025-12-31T12:00:00Z",
};

export const UPDATE = {
  session_id: "abc123",
  actions: [
    {
      type: "create_feature_unit",
      result: "success",
    },
    {
      type: "run_tests",
      result: "passed",
    },
  ],
  checkpoints: [
    {
      name: "spec_complete",
      timestamp: "2025-12-31T11:15:00Z",
    },
    {
      name: "tests_passing",
      timestamp: "2025-12-31T11:30:00Z",
    },
    {
      name: "committed",
      timestamp: "2025-12-31T11:45:00Z",
    },
  ],
  started_at: "2025-12-31T11:00:00Z",
};

/** Its usage examples, which write times with `toISOString`. */
export const RECORDED = {
  session_id: "abc123",
  actions: [
    {
      type: "create_feature_unit",
      result: "success",
      details: { feature_unit_id: "FU-061" },
      timestamp: "2025-12-31T11:15:00.000Z",
    },
    {
      type: "run_tests",
      result: "passed",
      timestamp: "2025-12-31T11:30:00.000Z",
    },
  ],
  checkpoints: [
    {
      name: "spec_complete",
      timestamp: "2025-12-31T11:15:00.000Z",
    },
  ],
  outcomes: [
    {
      type: "feature_unit_created",
      id: "FU-061",
    },
  ],
  duration: 3600,
  started_at: "2025-12-31T11:00:00.000Z",
  ended_at: "2025-12-31T12:00:00.000Z",
};

export const RECORDED_UPDATE = {
  session_id: "abc123",
  actions: [
    {
      type: "create_feature_unit",
      result: "success",
    },
    {
      type: "run_tests",
      result: "passed",
    },
    {
      type: "commit",
      result: "success",
    },
  ],
  checkpoints: [
    {
      name: "spec_complete",
      timestamp: "2025-12-31T11:15:00.000Z",
    },
    {
      name: "committed",
      timestamp: "2025-12-31T11:45:00.000Z",
    },
  ],
  started_at: "2025-12-31T11:00:00.000Z",
};
