/** The fold against the files that the Python fold is held to as well. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { WireEnvelope } from "../src/envelope";
import { EMPTY_TURN } from "../src/items";
import { fold, foldAll } from "../src/state";

const golden = path.resolve(import.meta.dirname, "../../tests/golden");
const cases = readdirSync(golden, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".events.jsonl"))
  .sort();

function envelopesOf(name: string): WireEnvelope[] {
  return readFileSync(`${golden}/${name}`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("the fold", () => {
  it("has cases", () => {
    expect(cases.length).toBeGreaterThan(10);
  });

  it.each(cases)("%s", (name) => {
    const envelopes = envelopesOf(name);
    const expected = JSON.parse(
      readFileSync(`${golden}/${name.replace(".events.jsonl", ".state.json")}`, "utf8"),
    );
    expect(foldAll(envelopes)).toEqual(expected);
    expect(envelopes.reduce(fold, EMPTY_TURN)).toEqual(expected);
  });

  it("leaves the state it was given alone", () => {
    const [first, ...rest] = envelopesOf(cases[0] ?? "");
    const before = first ? fold(EMPTY_TURN, first) : EMPTY_TURN;
    const copy = structuredClone(before);
    foldAll(rest, before);
    expect(before).toEqual(copy);
  });

  it("passes over what it has seen", () => {
    const envelopes = envelopesOf(cases[0] ?? "");
    expect(foldAll([...envelopes, ...envelopes])).toEqual(foldAll(envelopes));
  });
});
