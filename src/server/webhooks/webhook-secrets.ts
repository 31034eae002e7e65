import { join } from "node:path";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { withLock } from "../../files/lock.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { readFile } from "../../files/read-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { FileSeal } from "../../store/file-seal.ts";

/**
 * The secrets of webhooks, by id. They are in a file that no other user can read, never in a log, a list or an answer.
 */
export interface WebhookSecrets {
  /** Null if there is none, for example in a copy of the data. */
  read(id: string): string | null;
  store(id: string, secret: string): Promise<void>;
  drop(id: string): Promise<void>;
}

const Secrets = z.record(z.string(), z.string());
type Secrets = z.infer<typeof Secrets>;

export function secretsFile(home: string): string {
  return join(home, "webhook-secrets.json");
}

/** Encrypted, where the store is. */
export function openSecrets(home: string, seal?: FileSeal): WebhookSecrets {
  const file = secretsFile(home);
  /** Several processes of one user change the file, so each reads it again under the lock. */
  const change = async (edit: (secrets: Secrets) => Secrets): Promise<void> => {
    makeFolder(home);
    const done = await withLock(`${file}.lock`, async () => {
      const secrets = readSecrets(file, seal);
      if (!secrets) throw unreadable(file);
      const text = `${JSON.stringify(edit(secrets), null, 2)}\n`;
      replaceFile(file, seal ? seal.seal(text) : text);
      return true;
    });
    if (!done) {
      throw new BelayError(refuse("store_busy", `${file} is in use. Try again in a moment.`));
    }
  };
  return {
    read: (id) => new Map(Object.entries(readSecrets(file, seal) ?? {})).get(id) ?? null,
    store: (id, secret) => change((secrets) => ({ ...secrets, [id]: secret })),
    drop: (id) => change(({ [id]: _, ...others }) => others),
  };
}

/** Null if the file exists but is not valid. */
function readSecrets(file: string, seal: FileSeal | undefined): Secrets | null {
  try {
    const text = readFile(file)?.toString("utf8") ?? "{}";
    return Secrets.parse(JSON.parse(seal?.open(text) ?? text));
  } catch {
    return null;
  }
}

function unreadable(file: string): BelayError {
  const message = `${file} is damaged. Repair it, or remove it and add the webhooks again.`;
  return new BelayError(refuse("storage_damaged", message, { file }));
}
