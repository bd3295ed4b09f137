/** The agent's checklist: open while it works, folded once it is done. */

import type { TodoStatus } from "../events.gen";
import type { TodosItem } from "../items";
import { Foldable } from "./foldable";
import { Icon, type IconName } from "./icon";

const ICONS: Readonly<Record<TodoStatus, IconName>> = {
  completed: "tick",
  in_progress: "half",
  pending: "open",
};
const CLASSES: Readonly<Record<TodoStatus, string>> = {
  completed: "nbh-done",
  in_progress: "nbh-now",
  pending: "",
};
const SPOKEN: Readonly<Record<TodoStatus, string>> = {
  completed: "done: ",
  in_progress: "now: ",
  pending: "to do: ",
};

interface TodosProps {
  readonly id: string;
  readonly item: TodosItem;
  readonly isRunning: boolean;
}

export function TodosCard({ id, item: { todos }, isRunning }: TodosProps) {
  const done = todos.filter(({ status }) => status === "completed").length;
  return (
    <Foldable
      id={id}
      hook="todos"
      icon="list"
      isOpen={isRunning}
      title={
        <>
          <span class="nbh-verb">Todos</span>
          {done} of {todos.length}
        </>
      }
      body={() => (
        <ul class="nbh-body nbh-todo">
          {todos.map(({ content, status }) => (
            <li class={CLASSES[status]}>
              <Icon name={ICONS[status]} />
              <span dir="auto">
                <span class="nbh-hidden">{SPOKEN[status]}</span>
                {content}
              </span>
            </li>
          ))}
        </ul>
      )}
    />
  );
}
