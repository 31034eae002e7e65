import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { begin, openWebLab, SOON, visit } from "./web-lab.ts";

const lab = openWebLab();
const TEXT = "one\ntwo \u202e\n";

it("a file is added beside the composer, listed with its size, and downloaded completely", async () => {
  const id = await begin(lab, { title: "With files" });
  await lab.server.ask("POST", `/sessions/${id}/artifacts`, {
    body: { name: "elsewhere", uri: "javascript:alert(1)" },
  });
  const { page } = await visit(lab, `/s/${id}`);
  await page.getByRole("button", { name: "Add file (up to 64 MB)" }).waitFor();
  const picker = page.locator("input[type=file]");
  await picker.setInputFiles({
    name: "notes é.txt",
    mimeType: "text/html",
    buffer: Buffer.from(TEXT),
  });
  await page.getByText("notes é.txt was added.").waitFor();
  await page.getByText("File added: notes é.txt, from the web page").waitFor();
  await page.getByRole("link", { name: "Show files" }).click();
  await page.waitForURL(`${lab.server.url}/s/${id}/files`);
  const lines = page.getByRole("main").getByRole("listitem");
  await expect.poll(() => lines.count(), SOON).toBe(2);
  expect(await lines.nth(0).getByRole("link").count()).toBe(0);
  expect(await lines.nth(1).innerText()).toContain(`${Buffer.byteLength(TEXT)} bytes`);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download notes é.txt" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("notes é.txt");
  expect(await readFile(await download.path(), "utf8")).toBe(TEXT);
  expect(page.url()).toBe(`${lab.server.url}/s/${id}/files`);
});

it("a file that is too large is refused before it is sent, and an upload shows its progress", async () => {
  const id = await begin(lab, { title: "Too large" });
  const { page, visitor } = await visit(lab, `/s/${id}`);
  await page.getByRole("button", { name: "Add file (up to 64 MB)" }).waitFor();
  await page.evaluate(choose("large.bin", 65));
  await page.getByText("large.bin has 65 MB. A file can have at most 64 MB.").waitFor();
  expect(visitor.requested.filter((url) => url.includes("/files?"))).toEqual([]);

  await page.evaluate(choose("some.bin", 8));
  await page.getByText("some.bin was added.").waitFor();
  expect(await page.evaluate("window.__seen")).toMatch(/Sending some\.bin: \d+ %/);
});

/** Chooses a file of this many MB, and records the messages meanwhile. */
function choose(name: string, mb: number): string {
  return `(() => {
    window.__seen = "";
    const picker = document.querySelector("input[type=file]");
    new MutationObserver(() => { window.__seen += picker.parentElement.innerText + "\\n"; })
      .observe(picker.parentElement, { subtree: true, childList: true, characterData: true });
    const chosen = new DataTransfer();
    chosen.items.add(new File([new Uint8Array(${mb} * 1024 * 1024)], "${name}"));
    picker.files = chosen.files;
    picker.dispatchEvent(new Event("change", { bubbles: true }));
  })()`;
}
