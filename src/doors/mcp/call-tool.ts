import type { CallToolResult } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { OperationName } from "../../contract/operations.ts";
import type { BelayService } from "../../service/belay-service.ts";
import { messageFor } from "../../service/message-for.ts";
import type { Caller } from "../../service/service-context.ts";
import type { Presented } from "./present-history.ts";
import { isUnexpected } from "./report-unexpected.ts";
import type { McpTool, ToolName } from "./tools.ts";
import { TOOLS } from "./tools.ts";

/** Runs a tool as the caller. A refusal is an answer to the agent; only an unknown tool is a protocol error. */
export async function callTool(
  service: BelayService,
  caller: Caller,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  if (!isTool(name)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${quote(name)}`);
  }
  try {
    return success(await perform(service, caller, TOOLS[name], given));
  } catch (error) {
    return failure(error);
  }
}

async function perform<K extends OperationName>(
  service: BelayService,
  caller: Caller,
  { operation, fixed = {}, assumed = {}, present }: McpTool<K>,
  given: Readonly<Record<string, unknown>>,
): Promise<Presented> {
  const taken = Object.keys(given).filter((field) => field in fixed);
  if (taken.length > 0) {
    const message = `Unknown argument ${taken.join(", ")}.`;
    throw new BelayError(refuse("invalid_input", message, { unknown: taken }));
  }
  const output = await service.call(operation, { ...assumed, ...given, ...fixed }, caller);
  return present ? present(output, given) : { value: output };
}

/** A list is sent as text only, because structured content of older protocols must be an object. */
function success({ value, meta }: Presented): CallToolResult {
  const structured = asObject(value);
  return {
    content: [{ type: "text", text: JSON.stringify(value) }],
    ...(structured && { structuredContent: structured }),
    ...(meta && { _meta: { ...meta } }),
  };
}

function failure(error: unknown): CallToolResult {
  const told = toErrorBody(error);
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify(told) }],
    structuredContent: told,
  };
}

function toErrorBody(error: unknown): Record<string, unknown> {
  if (!(error instanceof BelayError) || isUnexpected(error)) {
    const message = "Unexpected error. Try again. If it happens again, run: belay doctor";
    return { ...refuse("internal", message) };
  }
  const refusal = error.toJSON();
  const { error: code, details } = refusal;
  // Submitters know this rejection without a message.
  return code === "schema_validation_failed"
    ? { error: code, details }
    : { ...refusal, message: messageFor("mcp", refusal) };
}

function asObject(value: unknown): Record<string, unknown> | null {
  return isRecord(value) ? { ...value } : null;
}

function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
