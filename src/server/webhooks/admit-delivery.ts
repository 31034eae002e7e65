import { randomBytes } from "node:crypto";
import type { AcceptedWebhookState } from "../../contract/head.ts";
import type { WebhookPreset } from "../../contract/vocabulary.ts";
import { digestOf } from "../../service/access/secret-digest.ts";
import { findAccepted } from "./find-webhooks.ts";
import { mayHaveWebhooks } from "./may-have-webhooks.ts";
import type { ServerContext } from "./server-context.ts";
import { webhooksOf } from "./server-context.ts";
import { readGitHub, readStandard } from "./sign-webhook.ts";

export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request with a valid signature. Its body is not parsed yet. */
export interface AdmittedDelivery {
  readonly owner: string;
  readonly accepts: AcceptedWebhookState;
  /** The key that identifies a repeated delivery. */
  readonly key: string;
  /** The sender's name of the event; GitHub sends it in a header. */
  readonly event: string | null;
}

/** Returns the delivery's id if the signature is valid. */
type Read = (secret: string, headers: DeliveryHeaders, body: Buffer, now: number) => string | null;

const READ = {
  github: readGitHub,
  json: readStandard,
} as const satisfies Record<WebhookPreset, Read>;

/** A secret for unknown names, so that they take equally long to check. */
const NOBODYS = randomBytes(32).toString("hex");

/**
 * Null if the delivery is not accepted, without a reason. Owners may choose the same name; the signature shows which
 * one is meant.
 */
export async function admitDelivery(
  context: ServerContext,
  name: string,
  headers: DeliveryHeaders,
  body: Buffer,
): Promise<AdmittedDelivery | null> {
  const { secrets } = webhooksOf(context);
  const now = context.now();
  const found = await findAccepted(context.store, null, name);
  if (found.length === 0) {
    secrets.read(NOBODYS);
    readGitHub(NOBODYS, headers, body);
    return null;
  }
  let admitted: AdmittedDelivery | null = null;
  for (const { owner, accepts } of found) {
    const secret = secrets.read(accepts.id);
    const delivery = READ[accepts.preset](secret ?? NOBODYS, headers, body, now);
    if (delivery === null || secret === null || admitted) continue;
    if (!(await mayHaveWebhooks(context.store, owner))) continue;
    const key = digestOf(`${accepts.id}\n${delivery}`);
    admitted = { owner, accepts, key, event: eventOf(accepts.preset, headers) };
  }
  return admitted;
}

function eventOf(preset: WebhookPreset, headers: DeliveryHeaders): string | null {
  const event = preset === "github" ? headers["x-github-event"] : undefined;
  return typeof event === "string" ? event : null;
}
