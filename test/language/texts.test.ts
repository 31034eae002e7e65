import { describe, expect, it } from "vitest";
import { findFault } from "./find-fault.ts";
import { readDescriptions, readDocuments, readHelp, readSources, type Text } from "./read-texts.ts";

describe("texts for users", () => {
  it.each([
    ["help", readHelp, 300],
    ["descriptions", readDescriptions, 1000],
    ["documents", readDocuments, 700],
    ["literals in the sources", readSources, 3000],
  ] as const)(
    "%s follow the rules of plain English that a program can check",
    (_, readTexts, least) => {
      const texts = readTexts();
      expect(texts.length).toBeGreaterThan(least);
      expect(faultsOf(texts)).toEqual([]);
    },
  );

  it.each([
    ["Whoever goes away leaves the turn running.", "starts badly"],
    ["Sessions end. What runs is ended too.", "starts badly"],
    ["Of two drivers, one can write.", "starts badly"],
    ["A turn that needs your leave waits.", 'has the word "needs your leave"'],
    ["The agent is told what happened.", 'has the word "is told"'],
    ["Begin a session.", 'has the word "Begin"'],
    ["What should the agent do?", null],
    ["Call begin-action before you start it.", null],
  ])("control: bad ones are found: %s", (text, fault) => {
    expect(findFault(text)).toBe(fault);
  });
});

function faultsOf(texts: readonly Text[]): string[] {
  const faults = texts.flatMap(({ where, text }) => {
    const fault = findFault(text);
    return fault === null ? [] : [`${where}: ${text} (${fault})`];
  });
  return [...new Set(faults)];
}
