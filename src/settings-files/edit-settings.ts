import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { BelayError, refuse } from "../contract/errors.ts";
import { NotJson } from "./jsonc.ts";
import { readSettings, replaceSettings } from "./settings-file.ts";

interface SettingsEdit {
  readonly path: string;
  /** True if the settings changed or, with `print`, would change. */
  readonly differs: boolean;
  readonly diff: string;
}

const MOST_TRIES = 5;

/**
 * Changes another program's settings. An edit gets the newest text (null: no file) and returns the new one (null:
 * none). With `print` nothing is written.
 */
export function editSettings(
  path: string,
  print: boolean,
  edit: (text: string | null) => string | null,
): SettingsEdit {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const read = readSettings(path);
    const wanted = attempt(path, read.text, edit);
    const differs = wanted !== read.text;
    if (differs && !print && !replaceSettings(read, wanted)) continue;
    return { path, differs, diff: differs ? showChange(path, read.text ?? "", wanted ?? "") : "" };
  }
  throw new BelayError(refuse("store_busy", `${path} keeps changing. Try again.`, { path }));
}

function showChange(path: string, before: string, after: string): string {
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, options);
}

function attempt(
  path: string,
  text: string | null,
  edit: (text: string | null) => string | null,
): string | null {
  try {
    return edit(text);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const message = `${path} has invalid settings (${error.message}). It was not changed.`;
    throw new BelayError(refuse("invalid_input", message, { path }), error);
  }
}
