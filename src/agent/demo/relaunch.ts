import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs this very command once more as a child, on the same stdin and stdout, and ends as it ended. Who kills only the
 * parent leaves the child behind.
 */
export function relaunch(): Promise<number> {
  const args = process.argv.slice(1).filter((arg) => arg !== "--relaunch");
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
