/** A run of text: the agent's as Markdown, a person's as it was typed. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { MessageItem } from "../items";
import { MarkdownStream } from "../md/stream";
import { Icon } from "./icon";

interface MessageProps {
  readonly item: MessageItem;
  /** True while more of this text may arrive. */
  readonly isOpen: boolean;
}

export function MessageCard({ item, isOpen }: MessageProps) {
  if (item.role === "user") {
    return (
      <div class="nbh-msg nbh-you" data-nbh="message">
        <Icon name="you" class="nbh-g nbh-i-mute" />
        <div class="nbh-wide nbh-plain" dir="auto">
          <span class="nbh-hidden">You: </span>
          {item.text}
        </div>
      </div>
    );
  }
  return (
    <div class="nbh-msg" data-nbh="message">
      <Markdown text={item.text} isOpen={isOpen} class="nbh-wide" />
    </div>
  );
}

interface MarkdownProps {
  readonly text: string;
  readonly isOpen?: boolean;
  readonly class?: string;
}

/** Markdown that may still grow. Preact owns the element, the stream what is in it. */
export function Markdown({ text, isOpen = false, class: more = "" }: MarkdownProps) {
  const host = useRef<HTMLDivElement>(null);
  const stream = useRef<MarkdownStream | null>(null);
  useLayoutEffect(() => {
    if (!host.current) return;
    stream.current ??= new MarkdownStream(host.current);
    if (isOpen) stream.current.update(text);
    else stream.current.finish(text);
  }, [text, isOpen]);
  useLayoutEffect(() => () => stream.current?.dispose(), []);
  return <div ref={host} class={`nbh-md ${isOpen ? "nbh-streaming" : ""} ${more}`.trim()} dir="auto" />;
}
