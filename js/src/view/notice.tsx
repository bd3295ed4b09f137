/** Something the reader should know: a limit, a retry, a fault that the turn survived. */

import type { NoticeItem } from "../items";
import { Icon, type IconName } from "./icon";

const ICONS: Readonly<Record<NoticeItem["level"], IconName>> = {
  info: "note",
  warning: "warn",
  error: "cross",
};
const CLASSES: Readonly<Record<NoticeItem["level"], string>> = {
  info: "",
  warning: "nbh-i-warn",
  error: "nbh-i-err",
};
const VERBS: Readonly<Record<NoticeItem["level"], string>> = {
  info: "Note",
  warning: "Careful",
  error: "Error",
};

export function NoticeCard({ item: { level, message, code } }: { readonly item: NoticeItem }) {
  return (
    <div class="nbh-row nbh-wrap" data-nbh="notice">
      <Icon name={ICONS[level]} class={`nbh-g ${CLASSES[level]}`.trim()} />
      <span class="nbh-c" dir="auto">
        <span class="nbh-verb">{VERBS[level]}</span>
        {message}
      </span>
      <span class="nbh-r nbh-meta">{code}</span>
    </div>
  );
}
