import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/context.ts";
import type { Maintenance } from "../../service/maintenance.ts";

/** What the command line is given to work with. The store is opened by the first command that needs it. */
export interface Program {
  readonly caller: Caller;
  readonly home: string;
  open(options?: { readonly create: boolean }): Promise<OpenBelay>;
  readonly terminal: Terminal;
  /** The same program on another data folder. */
  at(home: string): Program;
}

export interface OpenBelay {
  readonly service: BelayService;
  readonly maintenance: Maintenance;
  close(): Promise<void>;
}

export interface Terminal {
  /** Human output goes to people, JSON to programs. */
  readonly json: boolean;
  readonly interactive: boolean;
  readonly columns: number;
  write(text: string): void;
  /** For people only: progress, warnings. */
  note(text: string): void;
}
