import type { Effects, RecoveryAnswer } from "../../src/contract/vocabulary.ts";
import { EFFECTS } from "../../src/contract/vocabulary.ts";

/** An action with an effect outside Belay. */
export interface Act {
  readonly name: string;
  readonly effects: Effects;
  readonly keyed: boolean;
  /** The number of steps that undo it. */
  readonly undo: number;
}

export type Step =
  | { readonly do: "act"; readonly act: Act }
  | { readonly do: "both"; readonly acts: readonly [Act, Act] }
  | { readonly do: "save"; readonly name: string }
  /** Waiting messages, each with the actions of its turn. */
  | { readonly do: "queue"; readonly turns: readonly { id: string; acts: readonly Act[] }[] };

export interface Scenario {
  readonly name: string;
  readonly session: string;
  /** Under the session's lease, as a driver; or declared from elsewhere, where only silence shows a death. */
  readonly mode: "held" | "declared";
  readonly answer: RecoveryAnswer;
  readonly steps: readonly Step[];
}

type Kind = Pick<Act, "effects" | "keyed">;

export const KINDS: readonly Kind[] = EFFECTS.flatMap((effects) => [
  { effects, keyed: false },
  { effects, keyed: true },
]);

export const SHAPES = {
  single: (kind) => [act(kind, "first")],
  "three in a row": (kind) => [act(kind, "first"), act(kind, "second"), act(kind, "third")],
  "two at once": (kind) => [both(kind, "left", "right"), act(kind, "after")],
  "rollback steps": (kind) => [act(kind, "first", 3), act(kind, "second")],
  checkpoint: (kind) => [act(kind, "first"), { do: "save", name: "half" }, act(kind, "second")],
  "queued second run": (kind) => [
    {
      do: "queue",
      turns: [
        { id: "turn-1", acts: [{ ...kind, name: "first", undo: 0 }] },
        { id: "turn-2", acts: [{ ...kind, name: "second", undo: 0 }] },
      ],
    },
  ],
} as const satisfies Record<string, (kind: Kind) => readonly Step[]>;
export type Shape = keyof typeof SHAPES;

/** Every combination of actions, modes, programs and answers. */
export function everyScenario(): Scenario[] {
  const answers: RecoveryAnswer[] = ["continue", "rollback", "abort"];
  const modes: Scenario["mode"][] = ["held", "declared"];
  return Object.entries(SHAPES).flatMap(([shape, stepsOf]) =>
    KINDS.flatMap((kind) =>
      modes.flatMap((mode) =>
        answers
          // If nothing can be undone, a rollback is refused, and the session continues.
          .filter((answer) => answer !== "rollback" || shape === "rollback steps")
          .map((answer) => ({
            name: `${shape}, ${kind.effects}${kind.keyed ? " with a key" : ""}, ${mode}, ${answer}`,
            session: "session-1",
            mode,
            answer,
            steps: stepsOf(kind),
          })),
      ),
    ),
  );
}

/** A longer program of all shapes, different for each seed. */
export function mixedScenario(session: string, random: (bound: number) => number): Scenario {
  const shapes = Object.values(SHAPES);
  const answers: RecoveryAnswer[] = ["continue", "continue", "rollback", "continue", "abort"];
  const steps = Array.from({ length: 5 }, (_, nth) => {
    const kind = KINDS[random(KINDS.length)] ?? { effects: "unknown", keyed: false };
    const shape = shapes[random(shapes.length)] ?? SHAPES.single;
    return shape(kind).map((step) => renamed(step, `${nth + 1}`));
  }).flat();
  const answer = answers[random(answers.length)] ?? "continue";
  return { name: `mixed, ${answer}`, session, mode: "held", answer, steps };
}

function act(kind: Kind, name: string, undo = 0): Step {
  return { do: "act", act: { ...kind, name, undo } };
}

function both(kind: Kind, left: string, right: string): Step {
  return {
    do: "both",
    acts: [
      { ...kind, name: left, undo: 0 },
      { ...kind, name: right, undo: 0 },
    ],
  };
}

/** Renamed so that a shape can occur twice in one program. */
function renamed(step: Step, mark: string): Step {
  const mine = (one: Act): Act => ({ ...one, name: `${one.name}-${mark}` });
  switch (step.do) {
    case "act":
      return { do: "act", act: mine(step.act) };
    case "both":
      return { do: "both", acts: [mine(step.acts[0]), mine(step.acts[1])] };
    case "save":
      return { do: "save", name: `${step.name}-${mark}` };
    case "queue": {
      const turns = step.turns.map(({ id, acts }) => ({
        id: `${id}-${mark}`,
        acts: acts.map(mine),
      }));
      return { do: "queue", turns };
    }
    default:
      return step satisfies never;
  }
}
