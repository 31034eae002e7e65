import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBelay } from "../../src/index.ts";
import { readAcknowledgements } from "./acknowledgements.ts";
import { checkOrder } from "./check-order.ts";
import { findLosses } from "./find-losses.ts";
import { readTrace } from "./read-trace.ts";
import { runBelay, traceWorker } from "./run-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();

describe("a data folder with durability process", () => {
  it("acknowledges without an fsync, and after a change to power with one, in a process that was open all the time", async () => {
    const folder = place("switching");
    const { home, said } = folder;
    const output = join(folder.root, "trace");
    const paths = ["belay.db-wal", "anchor.log"].map((file) => join(home, file));
    const strace = [
      ...["--seccomp-bpf", "-y", "-s", "4096", "-o", output],
      ...["-e", "trace=pwrite64,write,fsync,fdatasync"],
      ...[...paths, said].flatMap((path) => ["-P", path]),
    ];
    const { code, stderr } = await traceWorker(strace, "switching-durability", [home, said, "40"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const belay = await openBelay({ home });
    const { entity_id } = await belay.sessions.get({ id: "switched-session" });
    await belay.close();
    const { ordered, problems } = checkOrder(readTrace(output, entity_id));
    expect(ordered).toBe(40);
    expect(problems).toHaveLength(40);
    for (const problem of problems) expect(problem).toContain("before it was synced");
  });

  it("loses nothing acknowledged when its process is killed with SIGKILL at any write", async () => {
    let killed = 0;
    for (const when of [40, 80, 120]) {
      const { home, said, root: folder } = place(`killed-${when}`);
      await (await openBelay({ home, durability: "process" })).close();
      const inject = `inject=pwrite64:signal=SIGKILL:when=${when}`;
      const strace = ["-o", "/dev/null", "-e", "trace=pwrite64", "-e", inject];
      const { signal } = await traceWorker(strace, "busy", [home, said]);
      if (signal === "SIGKILL") killed += 1;
      expect((await findLosses(home, readAcknowledgements(said))).problems).toEqual([]);
      rmSync(folder, { recursive: true });
    }
    expect(killed).toBe(3);
  });
});

describe("the choice of a data folder", () => {
  it("is power by default, shown by doctor, and kept in a backup", async () => {
    const { home, root: folder } = place("named");
    const belay = await openBelay({ home });
    expect(await durabilityOf(home)).toMatch(/^power/);
    const chosen = await runBelay(home, ["durability", "process"]);
    expect(chosen).toMatchObject({ code: 0, stderr: "" });
    expect(chosen.stdout).toContain("A power cut can lose the most recent ones");
    expect((await runBelay(home, ["doctor"])).stdout).toMatch(/durability +process.*power cut/);
    await belay.maintenance.backup(join(folder, "copy"));
    expect(await durabilityOf(join(folder, "copy"))).toMatch(/^process/);
    await belay.maintenance.chooseDurability("power");
    expect(await durabilityOf(home)).toMatch(/^power/);
    await belay.close();
  });

  it("cannot be overridden by a program that asks for another one", async () => {
    const { home } = place("disagreeing");
    await (await openBelay({ home, durability: "process" })).close();
    await expect(openBelay({ home, durability: "power" })).rejects.toMatchObject({
      code: "invalid_input",
      details: { durability: "process" },
    });
    await (await openBelay({ home, durability: "process" })).close();
    expect(await durabilityOf(home)).toMatch(/^process/);
  });

  it("is power or process", async () => {
    const { home } = place("unknown");
    const asked = await runBelay(home, ["durability", "sometimes"]);
    expect(asked).toMatchObject({ code: 2 });
    expect(asked.stderr).toContain("belay durability power|process");
  });

  it.each([
    ["an unknown word", '{"durability":"sometimes"}', 'unknown durability "sometimes"'],
    ["another setting", '{"durabilty":"process"}', 'unknown setting "durabilty"'],
    ["no JSON", "process", "not JSON"],
  ])("is refused if its file has %s", async (_, text, why) => {
    const { home } = place(`wrong-${why.length}`);
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "storage.json"), text);
    await expect(openBelay({ home })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(why),
    });
  });
});

async function durabilityOf(home: string): Promise<string | undefined> {
  await using belay = await openBelay({ home });
  const facts = await belay.maintenance.describe();
  return facts.find(({ name }) => name === "durability")?.value;
}

function place(name: string) {
  const folder = join(root, name);
  mkdirSync(folder);
  return { root: folder, home: join(folder, "home"), said: join(folder, "said") };
}
