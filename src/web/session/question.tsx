import { useSignal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { type Answer, elsewhereOf, mayAllow, type Question } from '../../protocol/index.ts';
import { askerText, behindText } from '../../text/asker-words.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { linger } from '../list/lingering.ts';
import { useReadToEnd } from '../parts/read-to-end.ts';
import { attempt } from '../parts/toasts.tsx';
import { AlwaysDialog } from './always-dialog.tsx';
import { Choices } from './choices.tsx';
import { FormFields, formToFill } from './form-fields.tsx';
import { MemoryLine, useMemory } from './memory-line.tsx';
import { QuestionContent } from './question-content.tsx';
import { answerInWords, type GiveAnswer, QuestionForm } from './question-form.tsx';
import { useSettled } from './settled.ts';

const TITLES: Readonly<Record<Question['kind'], string>> = {
  permission: 'Permission',
  question: 'Question',
  plan: 'Plan',
  setup: 'Set-up',
  closing: 'It asks',
  form: 'Form',
};

export interface QuestionPanelProps {
  slug: string;
  question: Question;
  hasKeys: boolean;
  /** whether the page was already open when the question was asked */
  cameByItself: boolean;
  /** whether several sessions ask this question, because their earlier answers may differ */
  isOfSeveral?: boolean;
  /** the ids of all questions that are shown; when one comes or goes, the buttons of the others move */
  shownWith?: string;
  onAnswered?: () => void;
  /**
   * receives the answer, also as text, instead of the session; this component still determines which answers are
   * possible
   */
  onGive?: (answer: Omit<Answer, 'question_id'>, said: string) => void;
}

/**
 * Shows a session's question, with one button per answer. A new component is created for each question, because the
 * question's id is the component's key.
 */
export function QuestionPanel(props: QuestionPanelProps) {
  const { slug, question, hasKeys, cameByItself, isOfSeveral = false, shownWith = '', onAnswered, onGive } = props;
  const isBusy = useSignal(false);
  const [isAlways, setIsAlways] = useState(false);
  const panel = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const elsewhere = elsewhereOf(sessions.value.get(slug) ?? {});
  const memory = useMemory(slug, question, elsewhere === null && !isOfSeveral);
  const isSettled = useSettled(panel, cameByItself, memory, shownWith);
  const isRead = useReadToEnd(body);
  const give: GiveAnswer = async (answer) => {
    // The keys work even without the buttons, but they do not answer a question that dates from before the connection
    // was lost.
    const session = sessions.value.get(slug);
    if (session === undefined || isBusy.value || !isSettled || link.value !== 'live' || !mayAnswer) return;
    if (mayAllow(question, answer) && (!isRead || question.cut === true)) return;
    // What is wrong with the values of a form can be corrected as long as its fields are shown, so they are not held.
    if (onGive !== undefined && answer.values === undefined) {
      isBusy.value = true;
      onGive(answer, answerInWords(question, answer));
      return;
    }
    const heightPx = panel.current?.offsetHeight ?? 0;
    isBusy.value = true;
    const leave = linger({ session, answer: answerInWords(question, answer), heightPx });
    const done = await attempt(() =>
      client.call('answer', { params: { slug }, body: { ...answer, question_id: question.id } }),
    );
    leave(done);
    if (done) onAnswered?.();
    // After an answer, the panel disappears along with the question, so that a second click cannot hit the next
    // question.
    if (!done) isBusy.value = false;
  };
  const mayAnswer = question.behind !== true && (elsewhere?.may.includes('answer') ?? true);
  const isDisabled = isBusy.value || link.value !== 'live' || !mayAnswer;
  const isForm = question.questions.length > 1 || question.multi;
  const isClosing = question.kind === 'closing';
  const form = formToFill(question);

  return (
    <section
      ref={panel}
      class={`question card ${isClosing ? 'closing' : ''}`}
      data-kind={question.kind}
      aria-label={TITLES[question.kind]}
    >
      <div class="question-body" ref={body}>
        <h2 class="row">
          <span>{TITLES[question.kind]}</span>
          {question.tool !== null && question.kind === 'permission' && (
            <span class="chip mono">{question.tool.name}</span>
          )}
          {askerText(question) !== '' && <span class="chip">{askerText(question)}</span>}
        </h2>
        <QuestionContent question={question} />
        {question.cut === true && (
          <p class="question-text">
            The request is longer than shown here, so you can allow it only in the terminal
            {elsewhere === null ? '' : ` on ${elsewhere.machine}`}: <code>cbos attach {elsewhere?.slug ?? slug}</code>
          </p>
        )}
      </div>
      {question.behind === true && <p class="read-on faint">{behindText(question)}.</p>}
      {question.behind !== true && !mayAnswer && elsewhere?.asOf === null && (
        <p class="read-on faint">This machine may not answer on {elsewhere.machine}.</p>
      )}
      {!isRead && mayAllow(question, { choice: 'yes' }) && (
        <p class="read-on faint">Read the request to the end before you allow it.</p>
      )}
      {form !== null && <FormFields {...{ form, isDisabled, isSettled }} onAnswer={give} />}
      {isForm ? (
        <QuestionForm {...{ question, isDisabled, isSettled }} onAnswer={give} />
      ) : (
        !isClosing && (
          <Choices
            {...{ question, isDisabled, isSettled, isRead, hasKeys }}
            noKey={onGive === undefined ? 'x' : 'n'}
            onAnswer={give}
            onAlways={elsewhere === null ? () => setIsAlways(true) : null}
          />
        )
      )}
      {memory !== null && (
        <MemoryLine {...{ memory, question, isDisabled, isSettled, isRead, hasKeys }} onAnswer={give} />
      )}
      {isAlways && <AlwaysDialog {...{ slug, question }} onClose={() => setIsAlways(false)} />}
    </section>
  );
}
