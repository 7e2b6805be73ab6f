import { useSignal } from '@preact/signals';
import type { Answer, Question, QuestionOption, QuestionPart } from '../../protocol/index.ts';
import { bind, ChoiceText } from '../parts/field.tsx';
export type GiveAnswer = (answer: Omit<Answer, 'question_id'>) => Promise<void>;

/** The options that the user has chosen or the text that the user has written for one of the questions. */
interface Reply {
  labels: readonly string[];
  words: string;
}

const NO_REPLY: Reply = { labels: [], words: '' };

/**
 * A form for several questions, or for one question that accepts several options. The user fills in the form, and all
 * answers are sent together.
 */
export function QuestionForm(props: {
  question: Question;
  isDisabled: boolean;
  /** returns false if input at this moment must have been meant for something else */
  isSettled: boolean;
  onAnswer: GiveAnswer;
}) {
  const { question, isDisabled, isSettled, onAnswer } = props;
  const parts: QuestionPart[] =
    question.questions.length > 0
      ? question.questions
      : [{ header: null, text: question.text, options: question.options, multi: question.multi }];
  const replies = useSignal<ReadonlyMap<string, Reply>>(new Map());
  const replyTo = (part: QuestionPart): Reply => replies.value.get(part.text) ?? NO_REPLY;
  const change = (part: QuestionPart, reply: Reply): void => {
    replies.value = new Map(replies.value).set(part.text, reply);
  };
  const isComplete = parts.every((part) => answerOf(part, replyTo(part)) !== null);

  return (
    <form
      class="question-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        const answers = Object.fromEntries(
          parts.flatMap((part) => {
            const answer = answerOf(part, replyTo(part));
            return answer === null ? [] : [[part.text, answer]];
          }),
        );
        void onAnswer({ answers });
      }}
    >
      {parts.map((part) => (
        <Part key={part.text} part={part} reply={replyTo(part)} onChange={(reply) => change(part, reply)} />
      ))}
      <div>
        <button type="submit" class="button primary" disabled={isDisabled || !isComplete} aria-disabled={!isSettled}>
          {parts.length > 1 ? 'Send the answers' : 'Send the answer'}
        </button>
      </div>
    </form>
  );
}

function Part(props: { part: QuestionPart; reply: Reply; onChange: (reply: Reply) => void }) {
  const { part, reply, onChange } = props;
  const toggle = (label: string, isOn: boolean): void => {
    const others = part.multi ? reply.labels.filter((other) => other !== label) : [];
    onChange({ labels: isOn ? [...others, label] : others, words: part.multi ? reply.words : '' });
  };
  return (
    <fieldset class="stack">
      <legend class="question-text">
        {part.header !== null && <span class="chip">{part.header}</span>} {part.text}
      </legend>
      <div class="form-options">
        {part.options
          .filter((option) => !isFreeText(option))
          .map(({ key, label, description }) => (
            <label key={key} class="form-option">
              <input
                type={part.multi ? 'checkbox' : 'radio'}
                name={part.text}
                checked={reply.labels.includes(label)}
                onChange={({ currentTarget }) => toggle(label, currentTarget.checked)}
              />
              <ChoiceText title={label} about={description} />
            </label>
          ))}
        <input
          class="input"
          aria-label={`Other answer to: ${part.text}`}
          placeholder="Something else"
          value={reply.words}
          onInput={({ currentTarget }) =>
            onChange({ labels: part.multi ? reply.labels : [], words: currentTarget.value })
          }
        />
      </div>
    </fieldset>
  );
}

/**
 * Returns the labels of the chosen options in the order in which they are shown, followed by the user's own words.
 * Returns null if there is no answer yet.
 */
function answerOf(part: QuestionPart, { labels, words }: Reply): string | string[] | null {
  const own = words.trim() === '' ? [] : [words.trim()];
  const all = [...part.options.map(({ label }) => label).filter((label) => labels.includes(label)), ...own];
  if (all.length === 0) return null;
  return part.multi ? all : (all[0] ?? null);
}

/**
 * Reports whether an option only opens a text field. The form omits such options, because it already has a text field.
 */
export function isFreeText({ means }: QuestionOption): boolean {
  return means === 'text' || means === 'leave';
}

/** The text field for the answer to a closing question. */
export function ClosingReply({ onGive }: { onGive: (text: string) => void }) {
  const words = useSignal('');
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.value.trim() !== '') onGive(words.value);
      }}
    >
      <input class="input grow" aria-label="Your answer" required {...bind(words)} />
      <button type="submit" class="button primary">
        Answer
      </button>
    </form>
  );
}

/** Returns an answer in words, to show to the user. */
export function answerInWords({ options }: Question, { choice, text }: Omit<Answer, 'question_id'>): string {
  const chosen = typeof choice === 'number' ? options[choice - 1]?.label : choice;
  return [chosen, text].filter((part) => typeof part === 'string').join(': ') || 'your answers';
}
