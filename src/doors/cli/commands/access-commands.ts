import type { Commands } from "../operation-command.ts";
import * as people from "../show/show-people.ts";
import * as tokens from "../show/show-tokens.ts";
import * as webhooks from "../show/show-webhooks.ts";
import { linkCommands, linkVariant } from "./link-commands.ts";

/** Commands for sharing, people, tokens and webhooks. */
export const accessCommands = {
  share: {
    operation: "share",
    positional: ["id"],
    variants: {
      "--preview": linkVariant("with --link: only list what it would hide", "links preview"),
      "--link": linkVariant("create a public link to a redacted page, without login", "links add"),
    },
    hints: { with: "For a public link, use --link." },
    example: "belay share agent-20260108 --with bob --role approver --until 7d",
    show: people.shares,
  },
  unshare: {
    operation: "unshare",
    positional: ["id"],
    variants: {
      "--link": { takes: "LINK_ID", ...linkVariant("revoke this public link", "links revoke") },
    },
    hints: { with: "For a public link, use --link LINK_ID." },
    example: "belay unshare agent-20260108 --with bob",
    show: people.shares,
  },
  shares: {
    operation: "shares",
    positional: ["id"],
    example: "belay shares agent-20260108",
    show: people.shares,
  },
  shared: {
    operation: "shared",
    positional: [],
    example: "belay shared",
    show: people.shared,
  },
  ...linkCommands,
  "people add": {
    operation: "add_person",
    positional: ["name"],
    flags: { display_name: "display-name", identities: "identity" },
    example: 'belay people add bob --display-name "Bob Berg"',
    show: people.added,
  },
  "people list": {
    operation: "list_people",
    positional: [],
    example: "belay people list",
    show: people.people,
  },
  "people disable": {
    operation: "disable_person",
    positional: ["name"],
    example: "belay people disable bob",
    show: people.disabled,
  },
  whoami: {
    operation: "whoami",
    positional: [],
    example: "belay whoami",
    show: people.whoami,
  },
  "token create": {
    operation: "create_token",
    positional: [],
    example: "belay token create --name ci --scope read",
    show: tokens.created,
  },
  "token list": {
    operation: "list_tokens",
    positional: [],
    example: "belay token list",
    show: tokens.tokens,
  },
  "token revoke": {
    operation: "revoke_token",
    positional: ["token_id"],
    example: "belay token revoke 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: tokens.revoked,
  },
  "webhooks add": {
    operation: "add_webhook",
    positional: ["url"],
    example: "belay webhooks add https://example.com/hook --on approval.requested,session.failed",
    show: webhooks.added,
  },
  "webhooks accept": {
    operation: "accept_webhook",
    positional: ["name"],
    flags: { agent_name: "agent" },
    example: "belay webhooks accept issues --preset github --agent gemini",
    show: webhooks.accepted,
  },
  "webhooks list": {
    operation: "list_webhooks",
    positional: [],
    example: "belay webhooks list",
    show: webhooks.webhooks,
  },
  "webhooks remove": {
    operation: "remove_webhook",
    positional: ["webhook"],
    example: "belay webhooks remove issues",
    show: webhooks.removed,
  },
  "webhooks test": {
    operation: "test_webhook",
    positional: ["webhook"],
    example: "belay webhooks test 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: webhooks.tested,
    exitCode: ({ acknowledged }) => (acknowledged ? 0 : 1),
  },
  "webhooks deliveries": {
    operation: "webhook_deliveries",
    positional: ["webhook"],
    example: "belay webhooks deliveries 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: webhooks.deliveries,
  },
} as const satisfies Commands;
