/** Which characters can make a text look like another text. */

/** What can be wrong with a character whatever stands around it. */
export type PlainFault = "invisible" | "direction" | "control" | "space";

/** Letters of other scripts beside the Latin letter that they are drawn like, by script. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  Cyrillic: "аaАAВBсcСCԁdеeЕEҽeһhНHіiІIјjЈJкkКKӏlМMоoОOрpРPԛqԚQѕsЅSТTуyҮYУYѵvѴVԝwԜWхxХXԌG",
  Greek: "αaΑAΒBϲcΕEϵeΗHιiΙIϳjκkΚKΜMΝNοoΟOρpΡPτtΤTυuνvΥYγyχxΧXΖZωw",
  Armenian: "օoՕOոnսuՍUհhցgզqյjԼLՏSքp",
  "letter-like":
    "ıiɩiɡgɑaʟLʏYɴNꓲIꓡLꓮAꓐBꓚCꓓDꓰEꓖGꓧHꓙJꓗKꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZᏴBᏟCᎪAᎬEᏀGᎻHᎫJᏦKᏞLᎷMᏢPᏒRᎢTᏙVᏃZ",
};

/** Signs that are drawn like one that means something to a shell or in an address, by that one. */
const SIGNS: Readonly<Record<string, string>> = {
  "/": "\u2044\u2215\u2571\u27cb\u29f8\u2afd",
  "\\": "\u2216\u29f5\u29f9",
  ":": "\u02d0\u0589\u05c3\u205a\u2236\ua789",
  ";": "\u037e\u204f",
  ".": "\u06d4\u0702\u2024\u3002\uff61",
  "|": "\u01c0\u2223\u23ae\u2758\u2f01",
  "!": "\u01c3",
  "~": "\u02dc\u223c\u301c",
  "*": "\u204e\u2217\u066d",
  "<": "\u2039\u276e",
  ">": "\u203a\u276f",
  "'": "\u02b9\u02bb\u02bc\u2032\u2035",
  '"': "\u02ba\u2033\u2036",
  "`": "\u02cb",
  "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe63",
};

const LETTERS = new Map<string, { readonly looks: string; readonly script: string }>();
for (const [script, table] of Object.entries(LOOKALIKES)) {
  for (const [letter, looks] of pairs(table)) LETTERS.set(letter, { looks, script });
}
const SIGN_LOOKS = new Map<string, string>();
for (const [looks, signs] of Object.entries(SIGNS)) {
  for (const sign of signs) SIGN_LOOKS.set(sign, looks);
}

function pairs(table: string): [string, string][] {
  const characters = [...table];
  return characters.flatMap((character, i) =>
    i % 2 === 0 ? [[character, characters[i + 1] ?? ""] as [string, string]] : [],
  );
}

// The braille blank and the annotation marks show nothing either, though Unicode does not call them ignorable.
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]$/u;
const DIRECTION = /^[\u200e\u200f\u202a-\u202e\u2066-\u2069]$/u;
const ODD_SPACE = /^[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/u;
const OTHER_CONTROL = /^[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]$/u;

/** Returns what is wrong with a character whatever stands around it, or `null`. Look-alikes depend on that: see below. */
export function plainFault(character: string): PlainFault | null {
  if (character === "\n" || character === "\t") return null;
  if (DIRECTION.test(character)) return "direction";
  if (INVISIBLE.test(character)) return "invisible";
  if (ODD_SPACE.test(character)) return "space";
  return OTHER_CONTROL.test(character) ? "control" : null;
}

/** Returns the Latin letter that a letter of another script is drawn like, and that script. */
export function letterLookalike(character: string): { looks: string; script: string } | undefined {
  return LETTERS.get(character) ?? compatible(character, /^[A-Za-z0-9]$/);
}

/** Returns the ASCII sign that another sign is drawn like. */
export function signLookalike(character: string): string | undefined {
  return SIGN_LOOKS.get(character) ?? compatible(character, /^[!-/:-@[-`{-~]$/)?.looks;
}

/** Full-width and mathematical forms: Unicode itself says what they stand for. Superscripts and the like are no disguise. */
function compatible(character: string, wanted: RegExp): { looks: string; script: string } | undefined {
  if (!/^[\p{L}\p{Nd}\p{P}\p{S}]$/u.test(character)) return undefined;
  const looks = character.normalize("NFKC");
  return looks !== character && wanted.test(looks) ? { looks, script: "styled" } : undefined;
}

/** `U+0430`, with at least four digits. */
export function codePoint(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `U+${number.toString(16).toUpperCase().padStart(4, "0")}`;
}
