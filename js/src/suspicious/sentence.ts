/** Says in words what was found in a text, and why it matters. */

import type { PlainFault } from "./characters";

/** One place of the text that is shown as a chip; `at` and `length` are UTF-16 units. */
export type Finding =
  | { fault: "padding"; at: number; length: number; count: number; what: string }
  | { fault: "lookalike"; at: number; length: number; count: number; looks: string; script: string }
  | { fault: PlainFault | "stacked"; at: number; length: number; count: number };

type Lookalike = Extract<Finding, { fault: "lookalike" }>;

/** Returns one sentence without a full stop, `""` when nothing was found. */
export function sentence(findings: readonly Finding[], text: string): string {
  const clauses = [
    ...lookalikes(
      findings.filter((finding) => finding.fault === "lookalike"),
      text,
    ),
    counted(findings, "invisible", "is invisible", "are invisible"),
    counted(
      findings,
      "direction",
      "changes the order in which the text is shown",
      "change the order in which the text is shown",
    ),
    counted(findings, "control", "is a control character", "are control characters"),
    counted(findings, "space", "only looks like a space", "only look like spaces"),
    counted(findings, "stacked", "is stacked on another", "are stacked on others"),
    ...findings
      .filter((finding) => finding.fault === "padding")
      .map(({ count, what }) => `${count} ${what} are folded`),
  ].filter((clause) => clause !== "");
  const joined = clauses.join("; ");
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}

function counted(findings: readonly Finding[], fault: Finding["fault"], one: string, many: string): string {
  const count = findings.reduce((sum, finding) => sum + (finding.fault === fault ? finding.count : 0), 0);
  if (count === 0) return "";
  return count === 1 ? `one character ${one}` : `${count} characters ${many}`;
}

function lookalikes(found: readonly Lookalike[], text: string): string[] {
  const scripts = [...new Set(found.map(({ script }) => script))];
  const host = disguisedHost(found, text);
  return scripts.map((script, i) => {
    const what = described(script, found.filter((finding) => finding.script === script).length);
    return i === 0 && host !== "" ? `${what}, so this is not ${host}` : what;
  });
}

function described(script: string, count: number): string {
  const number = count === 1 ? "one" : String(count);
  if (script === "sign") {
    return count === 1
      ? "one sign only looks like an ordinary one"
      : `${number} signs only look like ordinary ones`;
  }
  const isNamed = script !== "letter-like" && script !== "styled";
  const isWhat = isNamed ? script : "not the plain Latin one it looks like";
  return count === 1
    ? `one letter is ${isWhat}`
    : `${number} letters are ${isNamed ? script : "not plain Latin"}`;
}

/** Returns the host name that the text pretends to hold, `""` when the look-alikes stand elsewhere. */
function disguisedHost(found: readonly Lookalike[], text: string): string {
  const [first] = found;
  if (!first) return "";
  const start = text.slice(0, first.at).search(/[^\s/@"'=(]*$/);
  const [token = ""] = text.slice(start).split(/[\s/"':)?#]/, 1);
  let plain = token;
  for (const { at, length, looks } of [...found].reverse()) {
    const place = at - start;
    if (place >= 0 && place < token.length)
      plain = plain.slice(0, place) + looks + plain.slice(place + length);
  }
  plain = plain.replace(/[^\x21-\x7e]/g, "");
  return /^(?:[\w-]+\.)+[A-Za-z]{2,}$/.test(plain) ? plain : "";
}
