import type { Input, OperationName, Output } from "../../contract/operations.ts";
import type { METHODS } from "./methods.ts";

/*
 * The published package has another file in this place, which `npm run generate` prints from the same tables: it has no
 * types of the schema library, and a name for each input and output.
 */

export type {
  AgentStep,
  KnownFile,
  LibraryOptions,
  NewFile,
  RunInNewSession,
  RunInSession,
} from "../../contract/method-inputs.ts";
export type { LogEvent, Turn } from "../../contract/session.ts";

type Method<K extends OperationName> =
  Record<string, never> extends Input<K>
    ? (input?: Input<K>) => Promise<Output<K>>
    : (input: Input<K>) => Promise<Output<K>>;

type MethodsOf<Operations extends Readonly<Record<string, OperationName>>> = {
  readonly [M in keyof Operations]: Method<Operations[M]>;
};

/** The operations as methods, in groups. */
export type BelayOperations = {
  readonly [G in keyof typeof METHODS]: MethodsOf<(typeof METHODS)[G]["methods"]>;
};
