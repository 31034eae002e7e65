/* Files that share a process load a lab once, so a lab cannot register hooks of vitest when it is loaded. */

type CleanUp = () => Promise<void> | void;
const ofTests: CleanUp[] = [];
const ofFiles: CleanUp[] = [];

/** Runs after each test of every file in this process. */
export function afterEachTest(cleanUp: CleanUp): void {
  ofTests.push(cleanUp);
}

/** Runs after the last test of every file in this process. */
export function afterEachFile(cleanUp: CleanUp): void {
  ofFiles.push(cleanUp);
}

export async function cleanUpTest(): Promise<void> {
  for (const cleanUp of ofTests.toReversed()) await cleanUp();
}

export async function cleanUpFile(): Promise<void> {
  for (const cleanUp of ofFiles.toReversed()) await cleanUp();
}
