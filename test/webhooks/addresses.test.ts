import { afterEach, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/server/webhooks/is-public-address.ts";
import { until } from "../http/until.ts";
import { as, closePlaces, endSession, openPlace } from "./open-place.ts";
import { endReceivers, Receiver } from "./receiver.ts";

afterEach(async () => {
  await closePlaces();
  await endReceivers();
});

const ann = as("ann");
const on = ["session.completed"];

describe("an address", () => {
  it.each([
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.170",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "localhost",
    "",
    "1.2.3",
  ])("%s is an address of this machine or its networks, or invalid", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::200e",
  ])("%s is an address of the internet", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("a URL", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://localhost/",
    "https://localhost./",
    "http://8.8.8.8/",
    "https://user:password@8.8.8.8/",
    "ftp://8.8.8.8/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "example.com/hook",
    "https://",
    "",
  ])("%s is refused, and nothing is stored", async (url) => {
    const place = await openPlace();
    await expect(place.service.call("add_webhook", { url, on }, ann)).rejects.toMatchObject({
      code: "invalid_input",
      details: { field: "url" },
    });
    expect((await place.service.call("list_webhooks", {}, ann)).webhooks).toEqual([]);
    expect(place.context.webhooks?.secrets.read("any")).toBeNull();
  });

  it("of any network is accepted with allow_private, but without a user and only with HTTP", async () => {
    const place = await openPlace();
    const add = (url: string) =>
      place.service.call("add_webhook", { url, on, allow_private: true }, ann);
    expect(await add("http://[::1]:8080/a#b")).toMatchObject({ url: "http://[::1]:8080/a" });
    expect(await add("http://10.0.0.1/")).toMatchObject({ state: "active" });
    await expect(add("http://a:b@10.0.0.1/")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(add("file:///etc/passwd")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(add(`http://10.0.0.1/${"x".repeat(1000)}`)).rejects.toMatchObject({
      code: "too_large",
    });
  });
});

describe("a name", () => {
  it("that resolves to this machine when sending is not connected to", async () => {
    const receiver = await Receiver.start();
    let address = "8.8.8.8";
    const asked: string[] = [];
    const place = await openPlace({
      resolve: async (host) => {
        asked.push(host);
        return [{ address, family: 4 }];
      },
    });
    const url = `https://rebound.example:${receiver.port}/`;
    const { id } = await place.service.call("add_webhook", { url, on }, ann);
    address = "127.0.0.1";
    place.send();
    await endSession(place, "first");
    const told = () => place.service.call("webhook_deliveries", { webhook: id }, ann);
    await until(async () => (await told()).deliveries.length > 0);
    const [delivery] = (await told()).deliveries;
    expect(delivery).toMatchObject({ status: null, why: expect.stringContaining("127.0.0.1") });
    expect(asked).toEqual(["rebound.example", "rebound.example"]);
    expect(receiver.received).toEqual([]);
  });

  it("with one private address is refused", async () => {
    const place = await openPlace({
      resolve: async () => [
        { address: "8.8.8.8", family: 4 },
        { address: "::1", family: 6 },
      ],
    });
    const url = "https://half.example/";
    await expect(place.service.call("add_webhook", { url, on }, ann)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("is connected to at the checked address, without a second lookup", async () => {
    const receiver = await Receiver.start();
    let asked = 0;
    const place = await openPlace({
      resolve: async () => {
        asked += 1;
        return [{ address: "127.0.0.1", family: 4 }];
      },
    });
    const url = `http://nowhere.invalid:${receiver.port}/`;
    const wanted = { url, on, allow_private: true };
    const { id } = await place.service.call("add_webhook", wanted, ann);
    const before = asked;
    const tested = await place.service.call("test_webhook", { webhook: id }, ann);
    expect(tested).toMatchObject({ acknowledged: true, status: 200 });
    expect(asked - before).toBe(1);
    expect(receiver.received[0]?.headers.host).toBe(`nowhere.invalid:${receiver.port}`);
  });
});
