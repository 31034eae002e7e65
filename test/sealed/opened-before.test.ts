import { expect, it } from "vitest";
import { openStore } from "../../src/compose-store.ts";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { withKey } from "./with-key.ts";

const open = (home: string) => openStore({ home, onNotice: () => {} });

it.each(["sqlite", "files"])(
  "writes nothing readable into %s that another process has encrypted since it was opened",
  async (kind) => {
    process.env.BELAY_STORE = kind;
    try {
      const home = temporaryFolder();
      const plain = await open(home);
      await withKey(async () => {
        const sealed = await open(home);
        const refused = keep(plain, begin(idOf(2), { lines: ["readable"] }));
        await expect(refused).rejects.toMatchObject({ code: "encryption_key_missing" });
        await keep(sealed, begin(idOf(1), { lines: ["secret"] }));
        expect((await sealed.readFeed({ after: "", limit: 9 })).events).toHaveLength(1);
        await sealed.close();
      });
      await plain.close();
    } finally {
      delete process.env.BELAY_STORE;
    }
  },
);

it("refuses to encrypt a store that a process without the key has written to", async () => {
  const home = temporaryFolder();
  const plain = await open(home);
  await keep(plain, begin(idOf(1), { lines: ["readable"] }));
  await withKey(() => expect(open(home)).rejects.toMatchObject({ code: "encryption_key_wrong" }));
  await keep(plain, write(idOf(1)));
  await plain.close();
});
