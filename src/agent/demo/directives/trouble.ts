import { setTimeout } from "node:timers/promises";
import { methods, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { Directives } from "../directive.ts";
import { readNumbers } from "../directive.ts";
import { forever } from "../forever.ts";
import { printNoise } from "../stdio.ts";
import { ToolCall } from "../tool-call.ts";
import { type Turn, TurnOver } from "../turn.ts";

/** Directives for failures that a client hopes never to see. */
export const TROUBLE = {
  unknown: {
    doc: "send an update of an unknown kind",
    run: async (turn) => {
      const update = { sessionUpdate: "weather_report", outlook: "sunny" };
      await turn.client.notify<unknown>(methods.client.session.update, {
        sessionId: turn.session.id,
        update,
      });
    },
  },

  noise: {
    takes: "TEXT",
    doc: "print a line on stdout that is not JSON",
    run: (_turn, text) => printNoise(text),
  },

  background: {
    takes: "MS",
    doc: "start a tool call that completes this long after the turn has ended",
    run: async (turn, rest) => {
      const call = await beginCall(turn, "Work in the background");
      const [ms = 1000] = readNumbers(rest);
      turn.afterwards.push(async () => {
        await setTimeout(ms);
        await call.finish({ ok: true, text: "Done, later." });
        turn.rememberAll();
      });
      await turn.say("I will continue in the background.");
    },
  },

  forget: {
    doc: "start a tool call and never complete it",
    run: async (turn) => {
      await beginCall(turn, "Work that is never heard of again");
      await turn.say("Now, where was I?");
    },
  },

  fail: {
    takes: "TEXT",
    doc: "answer the prompt with an error",
    run: async (turn, text) => {
      if (turn.agent.flags.has("silent-failure")) throw new TurnOver("end_turn");
      if (turn.agent.flags.has("wordy-failure")) {
        turn.usage = { input: 0, output: 0, usd: 0 };
        await turn.say(text || "Error: Failed to get response from the AI model");
        throw new TurnOver("end_turn");
      }
      throw RequestError.internalError(undefined, text || "the model is not there");
    },
  },

  refuse: {
    doc: "refuse to answer",
    run: async () => {
      throw new TurnOver("refusal");
    },
  },

  crash: {
    doc: "be killed by SIGKILL",
    run: async () => {
      process.kill(process.pid, "SIGKILL");
      await forever();
    },
  },

  exit: {
    takes: "N",
    doc: "end with this exit code",
    run: async (turn, rest) => {
      const [code = 0] = readNumbers(rest);
      turn.agent.exit(code);
      await forever();
    },
  },

  hang: {
    doc: "never answer anything again, not even a cancel",
    run: async (turn) => {
      turn.agent.hung = true;
      await forever();
    },
  },
} as const satisfies Directives;

async function beginCall(turn: Turn, title: string): Promise<ToolCall> {
  const call = new ToolCall(turn, { kind: "other", title, input: {} });
  await call.announce();
  await call.start();
  return call;
}
