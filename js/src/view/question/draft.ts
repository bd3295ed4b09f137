/** What a person has made of one question so far; pure. */

import type { Question } from "../../events.gen";

export interface Draft {
  /** Labels of the options that are chosen. */
  readonly chosen: readonly string[];
  /** What is in the field; counts while there is one. */
  readonly text: string;
  readonly isWriting: boolean;
}

/** Returns the draft before anything was done; without options there is nothing but to write. */
export function newDraft({ options }: Question): Draft {
  return { chosen: [], text: "", isWriting: options.length === 0 };
}

/** Returns the answers that a draft comes to, none when the question is open. */
export function answersOf({ chosen, text, isWriting }: Draft): readonly string[] {
  return isWriting && text.trim() !== "" ? [...new Set([...chosen, text])] : chosen;
}

/** Chooses an option, or takes it back; where one answer is all, it takes the place of any other. */
export function withOption(draft: Draft, label: string, { multiple }: Question): Draft {
  if (!multiple) return { ...draft, chosen: [label], isWriting: false };
  const others = draft.chosen.filter((each) => each !== label);
  return { ...draft, chosen: others.length < draft.chosen.length ? others : [...others, label] };
}

/** Opens the field; where one answer is all, what is written there takes the place of the option. */
export function withField(draft: Draft, { multiple }: Question): Draft {
  return { ...draft, isWriting: true, chosen: multiple ? draft.chosen : [] };
}
