/** What the agent wants to know: a band with its options while it waits, a row with the answers afterwards. */

import { useState } from "preact/hooks";
import type { Question, QuestionAnswer } from "../../events.gen";
import type { QuestionItem } from "../../items";
import type { Sent } from "../../store";
import { refusedReply, sentTitle } from "../../words/reply";
import { Band, SendAgain, SentMeta, Why } from "../band";
import { useView } from "../context";
import { Foldable } from "../foldable";
import { useArmed } from "../forms/use-armed";
import { Inspected, OneLine } from "../inspected";
import { answersOf, type Draft, newDraft } from "./draft";
import { ManyQuestions } from "./many";
import { OneQuestion } from "./one";

interface QuestionProps {
  readonly id: string;
  readonly item: QuestionItem;
}

export function QuestionCard({ id, item }: QuestionProps) {
  return item.status === "pending" ? <Asked item={item} /> : <Answered id={id} item={item} />;
}

const WHO: Readonly<Record<string, string>> = {
  nobody: "nobody could answer",
  turn: "the turn ended first",
  user: "by you",
  terminal: "in the terminal",
  code: "by code",
};
const ENDINGS = { answered: "Answered", skipped: "Skipped", cancelled: "Not answered" } as const;

function Answered({ id, item }: QuestionProps) {
  const isAnswered = item.status === "answered";
  const [first] = item.questions;
  return (
    <Foldable
      id={id}
      hook="question"
      icon={isAnswered ? "tick" : item.status === "skipped" ? "no" : "clock"}
      title={
        <>
          <span class="nbh-verb">{item.status === "pending" ? "" : ENDINGS[item.status]}</span>
          <OneLine text={first?.header ?? first?.text ?? ""} />
          {first && (
            <span class="nbh-meta">
              {" "}
              <OneLine text={(item.answers[first.id] ?? []).join(", ")} />
            </span>
          )}
        </>
      }
      meta={WHO[item.by] ?? ""}
      body={() => (
        <dl class="nbh-body">
          {item.questions.map((question) => (
            <>
              <dt>
                <Inspected text={question.text} />
              </dt>
              <dd class="nbh-meta">
                <Inspected text={answerText(question, item)} />
              </dd>
            </>
          ))}
        </dl>
      )}
    />
  );
}

function answerText(question: Question, { answers, status }: QuestionItem): string {
  const given = answers[question.id] ?? [];
  if (given.length > 0) return given.join(", ");
  return status === "answered" && question.secret ? "answered, not kept" : "no answer";
}

function Asked({ item: { id, questions } }: { readonly item: QuestionItem }) {
  const { store } = useView();
  const isReady = useArmed(false) && store.link.value.state !== "gone";
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => questions.map(newDraft));
  const about = `question ${id}`;
  const sent = store.sent.value.get(about);
  const problem = refusedReply(sent);
  if (sent && (problem === "" || sent.reply?.status === "conflict")) {
    return <SentAnswer about={about} sent={sent} problem={problem} />;
  }
  const send = (given: Omit<QuestionAnswer, "type" | "id">): void =>
    store.send({ type: "question", id, ...given }, about);
  const answers = drafts.map(answersOf);
  const answered = answers.filter((given) => given.length > 0).length;
  const isComplete = answered === questions.length;
  const onAnswer = (): void => {
    const given = questions.map((each, place) => [each.id, answers[place] ?? []]);
    if (isReady && isComplete) send({ answers: Object.fromEntries(given) });
  };
  const [first, ...more] = questions;
  const title = more.length === 0 ? (first?.text ?? "") : "The agent asks";
  const shared = { isReady, onAnswer, onSkip: () => send({ skip: true }) };
  return (
    <Band
      hook="question"
      label={`Question: ${title}`}
      title={<Inspected text={title} />}
      meta={more.length > 0 && `${answered} of ${questions.length} answered`}
    >
      {first && drafts[0] && more.length === 0 && !first.multiple ? (
        <OneQuestion
          {...{ question: first, draft: drafts[0], ...shared }}
          onDraft={(draft) => setDrafts([draft])}
          onPick={(label) => send({ answers: { [first.id]: [label] } })}
        />
      ) : (
        <ManyQuestions
          {...{ questions, drafts, isComplete, ...shared }}
          onDraft={(place, draft) => setDrafts(drafts.map((each, i) => (i === place ? draft : each)))}
        />
      )}
      {problem !== "" && <Problem text={problem} />}
    </Band>
  );
}

interface SentProps {
  readonly about: string;
  readonly sent: Sent;
  readonly problem: string;
}

function SentAnswer({ about, sent, problem }: SentProps) {
  const title = sentTitle(sent.input);
  return (
    <Band
      hook="question"
      label={title}
      title={title}
      meta={<SentMeta sent={sent} />}
      icon="run"
      iconClass="nbh-spin"
    >
      {problem !== "" && <Problem text={problem} />}
      <SendAgain about={about} sent={sent} />
    </Band>
  );
}

function Problem({ text }: { readonly text: string }) {
  return (
    <div class="nbh-wide">
      <Why text={text} />
    </div>
  );
}
