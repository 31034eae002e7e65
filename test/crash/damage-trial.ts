import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BelayError } from "../../src/contract/errors.ts";
import { type Answers, askEverything, type Subjects } from "./ask-everything.ts";
import { compareAnswers, type Differences } from "./compare-answers.ts";
import { copyData } from "./copy-data.ts";
import { openService } from "./open-service.ts";

export interface Trial extends Differences {
  /** True if `verify` reports that something was lost or changed. */
  readonly found: boolean;
  /** The number of sessions that could not be shown. */
  readonly unreadable: number;
}

/** Damages a copy of a folder, asks everything again, and verifies. The copy stays, for the command line. */
export async function tryDamage(
  from: string,
  copy: string,
  expected: { readonly answers: Answers; readonly subjects: Subjects },
  damage: (copy: string) => void,
  isTailLost = false,
): Promise<Trial> {
  freshCopy(from, copy);
  damage(copy);
  const { answers, found } = await readDamaged(copy, expected.subjects);
  const differences = answers
    ? compareAnswers(expected.answers, answers, isTailLost)
    : { altered: [], wrong: [], refused: ["everything"], missing: [] };
  const unreadable = expected.subjects.sessions.filter(({ id }) => {
    const answer = answers?.get(`get ${id}`);
    return !answer || "refused" in answer;
  }).length;
  return { ...differences, found, unreadable };
}

export function freshCopy(from: string, copy: string): void {
  if (existsSync(copy)) rmSync(copy, { recursive: true });
  mkdirSync(join(copy, ".."), { recursive: true });
  copyData(from, copy);
}

async function readDamaged(copy: string, subjects: Subjects) {
  try {
    const service = await openService(copy);
    try {
      const answers = await askEverything(service, subjects);
      return { answers, found: !(await service.maintenance.verify()).ok };
    } finally {
      await service.store.close();
    }
  } catch (error) {
    if (error instanceof BelayError && error.code === "storage_damaged") return { found: true };
    throw error;
  }
}
