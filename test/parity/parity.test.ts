import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { endAll, newPlace, type ServerPlace, serve } from "../serve/server-process.ts";
import { openCliDoor } from "./cli-door.ts";
import type { Door } from "./door.ts";
import { openGraphqlDoor } from "./graphql-door.ts";
import { openMcpDoor } from "./mcp-door.ts";
import { type DoorName, MISSING } from "./missing-operations.ts";
import { REFUSALS } from "./refusals.ts";
import { openRestDoor } from "./rest-door.ts";
import { answersOf, describeAs, type Played, play } from "./scenario.ts";
import { openServiceDoor, type ServiceDoor } from "./service-door.ts";
import { WHOLE_LIFE } from "./whole-life.ts";

/** Every interface on data of its own, after it did everything it can. */
const DOORS = {
  service: async (_place, service) => service,
  cli: async (place) => openCliDoor(place),
  rest: async (place) => openRestDoor(await serve(place)),
  mcp: async (place) => openMcpDoor(await serve(place)),
  graphql: async (place) => openGraphqlDoor(await serve(place)),
} as const satisfies Record<DoorName, (place: ServerPlace, own: ServiceDoor) => Promise<Door>>;

const OUTSIDE = ["cli", "rest", "mcp", "graphql"] as const;
const refused = REFUSALS.map(([step]) => step);
const played = new Map<DoorName, { door: Door; life: Played; refusals: Played }>();
const places: ServerPlace[] = [];

beforeAll(async () => {
  await Promise.all([
    playAt("service"),
    playAt("rest"),
    playAt("mcp"),
    playAt("graphql"),
    playAt("cli"),
  ]);
}, 240_000);

afterAll(async () => {
  await endAll();
  for (const place of places) place.remove();
});

describe.each(OUTSIDE)("through %s", (name) => {
  it("a whole life has the answers of the service", () => {
    const { door, life } = at(name);
    expect(answersOf(life)).toEqual(describeAs(at("service").life, door, life.through));
  });

  it("a whole life leaves the same log", () => {
    expect(at(name).life.logs).toEqual(at("service").life.logs);
  });

  it("refused requests leave the same log and have the same answers", () => {
    const { door, refusals } = at(name);
    expect(answersOf(refusals)).toEqual(describeAs(at("service").refusals, door, refusals.through));
    expect(refusals.logs).toEqual(at("service").refusals.logs);
  });
});

describe.each(["service", ...OUTSIDE] as const)("through %s", (name) => {
  it("every refusal has the expected code", () => {
    const codes = at(name).refusals.steps.map(({ answer }) => (answer.ok ? null : answer.error));
    expect(codes).toEqual(REFUSALS.map(([, code]) => code));
  });

  it("only operations with a listed reason are missing", () => {
    const { life, refusals } = at(name);
    const through = new Set([...life.through, ...refusals.through]);
    const missing = names.filter((operation) => !through.has(operation));
    expect(missing.toSorted()).toEqual(Object.keys(MISSING[name]).toSorted());
  });
});

describe("the scenarios", () => {
  it("include every operation", () => {
    const played = new Set([...WHOLE_LIFE, ...refused].map(({ operation }) => operation));
    expect(names.filter((operation) => !played.has(operation))).toEqual([]);
  });

  it("let everything in a whole life succeed", () => {
    expect(at("service").life.steps.filter(({ answer }) => !answer.ok)).toEqual([]);
  });
});

const names = Object.keys(OPERATIONS).filter(isOperation);

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

function at(name: DoorName) {
  const found = played.get(name);
  if (!found) throw new Error(`nothing was played through ${name}`);
  return found;
}

/** Each scenario has a folder of its own, so that lists and numbers are the same too. */
async function playAt(name: DoorName): Promise<void> {
  const [[door, life], [, refusals]] = await Promise.all([
    playOne(name, WHOLE_LIFE),
    playOne(name, refused),
  ]);
  played.set(name, { door, life, refusals });
}

async function playOne(name: DoorName, steps: typeof WHOLE_LIFE): Promise<[Door, Played]> {
  const place = newPlace();
  places.push(place);
  const service = await openServiceDoor(place.home);
  const door = await DOORS[name](place, service);
  try {
    return [door, await play(steps, door, service, place.root)];
  } finally {
    if (door !== service) await door.close();
    await service.close();
  }
}
