import { randomBytes } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { PersonState, TokenState } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Token } from "../../contract/operations/token-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { refuseToken, revokedAt } from "../../core/people.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { expiryOf } from "../../core/system.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { iso } from "../../core/view/view-session.ts";
import { expectFuture } from "../../service/access/expect-future.ts";
import { digestOf } from "../../service/access/secret-digest.ts";
import { everyPerson, findPerson } from "../../service/read/find-person.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { listStreams, loadStream } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import { writeToken } from "../access/tokens.ts";

const DAY_MS = 24 * 3_600_000;

/** Operations that create and revoke tokens. */
export const tokenOperations = {
  create_token: (
    context: ServiceContext,
    input: Parsed<"create_token">,
    caller: Caller,
  ): Promise<Output<"create_token">> => createToken(context, input, caller),

  async list_tokens(
    { store }: ServiceContext,
    _: Parsed<"list_tokens">,
    caller: Caller,
  ): Promise<Output<"list_tokens">> {
    // A caller with direct access to the data folder sees everyone's tokens.
    const owner = caller.scope === undefined ? null : caller.owner;
    const filter = { key_prefix: "token:" };
    const streams = await listStreams(store, { kind: "system", owner, filter });
    const people = new Map((await everyPerson(store)).map((person) => [person.name, person]));
    return {
      tokens: streams.flatMap((stream) => viewToken(stream, people.get(stream.owner) ?? null)),
    };
  },

  async revoke_token(
    context: ServiceContext,
    input: Parsed<"revoke_token">,
    caller: Caller,
  ): Promise<Output<"revoke_token">> {
    const { owner, id: token_id } = await find(context, caller, input.token_id);
    const fact = { type: "token.revoked", data: { token_id } } as const;
    await recordSystemFact(context, { ...caller, owner }, fact, token_id);
    return find(context, caller, token_id);
  },
};

/** Creates a token; `browser` marks the login of one. */
export async function createToken(
  context: ServiceContext,
  input: Parsed<"create_token">,
  caller: Caller,
  browser = false,
): Promise<Output<"create_token">> {
  const owner = input.owner ?? caller.owner;
  if (owner !== caller.owner && caller.scope !== undefined) {
    const message = `A token of ${caller.owner} cannot give access to the sessions of ${owner}.`;
    throw new BelayError(refuse("not_allowed", message, { owner }));
  }
  if (jsonBytes(owner) > LIMITS.OWNER) {
    throw new BelayError(
      refuse("too_large", `owner: must have at most ${LIMITS.OWNER} bytes.`, {
        max: LIMITS.OWNER,
      }),
    );
  }
  const token_id = context.newId();
  const secret = randomBytes(32).toString("base64url");
  const { name, scope, idle_days, until } = input;
  const person = await findPerson(context.store, owner);
  if (!person && owner !== caller.owner) await expectNoPeople(context, owner);
  const refused = refuseToken(scope, person);
  if (refused) throw new BelayError(refused);
  const ends = {
    ...(idle_days !== undefined && { idle_ms: idle_days * DAY_MS }),
    ...(until !== undefined && { expires_at: expectFuture(context, until) }),
    ...(browser && { browser: true as const }),
  };
  const data = { token_id, name, scope, digest: digestOf(secret), ...ends };
  const fact = { type: "token.created", data } as const;
  await recordSystemFact(context, { ...caller, owner }, fact, token_id);
  return {
    ...(await find(context, { ...caller, owner }, token_id)),
    token: writeToken(token_id, secret),
  };
}

/** Where people are on record, a token of an unknown name would be a typing error that nobody notices. */
async function expectNoPeople({ store }: ServiceContext, owner: string): Promise<void> {
  if ((await everyPerson(store)).length === 0) return;
  const message = `Person not found: ${owner}.`;
  throw new BelayError(refuse("person_not_found", message, { name: owner }));
}

async function find({ store }: ServiceContext, caller: Caller, id: string): Promise<Token> {
  const stream = await loadStream(store, { id });
  const [token] = stream ? viewToken(stream, await findPerson(store, stream.owner)) : [];
  if (token && (caller.scope === undefined || token.owner === caller.owner)) return token;
  const message = `Token ${id} not found.`;
  throw new BelayError(refuse("token_not_found", message, { id }));
}

function viewToken({ owner, head }: StoredStream, person: PersonState | null): Token[] {
  const token: TokenState | undefined = isSystemHead(head) ? head.token : undefined;
  if (!token) return [];
  const { id, name, scope, created_at, renewed_at } = token;
  const revoked_at = revokedAt(token, person);
  const expires_at = expiryOf(token);
  return [
    {
      id,
      name,
      owner,
      scope,
      created_at: iso(created_at),
      revoked_at: revoked_at === null ? null : iso(revoked_at),
      expires_at: expires_at === null ? null : iso(expires_at),
      last_used_at: renewed_at === undefined ? null : iso(renewed_at),
    },
  ];
}
