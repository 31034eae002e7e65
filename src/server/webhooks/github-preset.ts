/** GitHub's issue events, and the messages for agents. The template has no conditions, so each case has its own. */

export const GITHUB_EVENTS = ["issues.opened", "issues.reopened", "issue_comment.created"] as const;

/** True if there is a message for the event. */
export function isOfIssues(event: string): boolean {
  return /^(?:issues|issue_comment)(?:\.|$)/.test(event);
}

/** One session for each issue. */
export const GITHUB_SESSION_KEY = "issue.html_url";

export function githubMessage(event: string): string {
  return event.startsWith("issue_comment") ? COMMENT : ISSUE;
}

const ISSUE = `GitHub: an issue of {{repository.full_name}} was {{action}} by {{sender.login}}.

Title: {{issue.title}}
URL: {{issue.html_url}}

{{issue.body}}`;

const COMMENT = `GitHub: {{comment.user.login}} commented on an issue of {{repository.full_name}}.

Title: {{issue.title}}
URL: {{comment.html_url}}

{{comment.body}}`;
