/**
 * The newest sessions of an agent and a status are adjacent, even if sessions of other statuses were created between
 * them.
 */
export const agentLists = `
DROP INDEX belay.streams_by_agent;
CREATE INDEX streams_by_agent ON belay.streams (kind, owner, agent, status, activity, sid);
`;
