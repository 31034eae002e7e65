import type { Directives } from "../directive.ts";
import { readNumbers } from "../directive.ts";
import { showPlan } from "../show-work.ts";

const FLOOD_BATCH = 500;

/** Directives for text, thoughts and plans, in every amount and at every speed. */
export const SPEAKING = {
  say: { takes: "TEXT", doc: "say it, word by word", run: (turn, text) => turn.say(text) },

  think: { takes: "TEXT", doc: "think it", run: (turn, text) => turn.think(text) },

  plan: {
    takes: "A; B; C",
    doc: "make a plan of these steps and go through them",
    run: async (turn, rest) => {
      const steps = rest.split(";").map((step) => step.trim());
      for (let current = 0; current <= steps.length; current += 1) {
        await showPlan(turn, steps, current);
      }
    },
  },

  chunks: {
    takes: "N [BYTES]",
    doc: "say N pieces of this many bytes each",
    run: async (turn, rest) => {
      const [count = 10, bytes = 16] = readNumbers(rest);
      for (let at = 1; at <= count; at += 1) {
        await turn.sendText(`${at} `.padEnd(bytes, "."));
        if (turn.pace > 0) await turn.wait(turn.pace);
      }
    },
  },

  flood: {
    takes: "N",
    doc: "say N tiny pieces as fast as possible",
    run: async (turn, rest) => {
      const [count = 1000] = readNumbers(rest);
      for (let start = 1; start <= count; start += FLOOD_BATCH) {
        const size = Math.min(FLOOD_BATCH, count - start + 1);
        await Promise.all(Array.from({ length: size }, (_, at) => turn.sendText(`${start + at} `)));
      }
    },
  },

  huge: {
    takes: "MB",
    doc: "say one piece of this size",
    run: (turn, rest) => {
      const [megabytes = 1] = readNumbers(rest);
      return turn.sendText("x".repeat(megabytes * 1024 * 1024));
    },
  },

  slow: {
    takes: "MS",
    doc: "wait before the next directive",
    run: async (turn, rest) => {
      const [ms = 1000] = readNumbers(rest);
      await turn.wait(ms);
    },
  },

  pace: {
    takes: "MS",
    doc: "wait this long between pieces for the rest of this turn",
    run: async (turn, rest) => {
      const [ms = 50] = readNumbers(rest);
      turn.pace = ms;
    },
  },

  usage: {
    takes: "IN OUT USD",
    doc: "report these tokens and this cost for this turn",
    run: async (turn, rest) => {
      const [input = 0, output = 0, usd = 0] = readNumbers(rest);
      turn.usage = { input, output, usd };
    },
  },
} as const satisfies Directives;
