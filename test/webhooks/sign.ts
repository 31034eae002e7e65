import { createHmac, randomUUID } from "node:crypto";

/** Requests of GitHub and of Standard Webhooks, written from their documents. */

export function githubHeaders(secret: string, event: string, body: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/044aadd",
    "x-github-event": event,
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}

export function standardHeaders(
  secret: string,
  body: string,
  { id = `msg_${randomUUID()}`, at = Date.now() } = {},
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${digest}`,
  };
}

export function issuePayload(action: string, fields: Readonly<Record<string, unknown>> = {}) {
  return JSON.stringify({
    action,
    issue: {
      number: 7,
      title: "The build breaks",
      body: "It says that tests fail.",
      html_url: "https://github.com/octo/belt/issues/7",
      ...fields,
    },
    repository: { full_name: "octo/belt" },
    sender: { login: "octocat" },
  });
}

export function commentPayload(body: string) {
  return JSON.stringify({
    action: "created",
    issue: {
      number: 7,
      title: "The build breaks",
      html_url: "https://github.com/octo/belt/issues/7",
    },
    comment: {
      body,
      html_url: "https://github.com/octo/belt/issues/7#issuecomment-1",
      user: { login: "hubot" },
    },
    repository: { full_name: "octo/belt" },
    sender: { login: "hubot" },
  });
}
