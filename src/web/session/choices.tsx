import { useSignal } from '@preact/signals';
import { type Answer, mayAllow, type Question, takesNumbers } from '../../protocol/index.ts';
import { type Shortcut, useShortcuts } from '../navigation/shortcuts.ts';
import { bind, ChoiceText, submitWith } from '../parts/field.tsx';
import { type GiveAnswer, isFreeText } from './question-form.tsx';

/**
 * Labels that are suitable for all versions. They are used until Claude Code's own options have been read from its
 * screen.
 */
const BY_WORD: readonly { title: string; choice: 'yes' | 'no' }[] = [
  { title: 'Yes', choice: 'yes' },
  { title: 'No', choice: 'no' },
];

/** How many options have a key: their numbers, as in Claude Code's own dialogs. */
const KEYED_OPTIONS = 9;

interface ChoicesProps {
  question: Question;
  isDisabled: boolean;
  /** returns false if input at this moment must have been meant for something else */
  isSettled: boolean;
  /** whether the whole call has been shown; until then, answers that allow the call have no effect */
  isRead: boolean;
  hasKeys: boolean;
  /** the key for no; except on pages that show only questions, `n` opens the form for a new session */
  noKey: 'x' | 'n';
  onAnswer: GiveAnswer;
  /** lets the user choose how far a yes applies, or null if that is not possible here */
  onAlways: (() => void) | null;
}

/** The buttons that answer a question. */
export function Choices({ question, isDisabled, isSettled, isRead, hasKeys, noKey, onAnswer, onAlways }: ChoicesProps) {
  const { options, kind } = question;
  const isNumbered = takesNumbers(question);
  const choose = (index: number): void => void onAnswer({ choice: isNumbered ? index + 1 : 'no' });
  const shortcuts = hasKeys ? answerShortcuts(question, noKey, onAnswer) : [];
  useShortcuts(shortcuts, [hasKeys, question.id, options.length, isSettled, isRead]);

  /** If the question is truncated, the user cannot allow anything on this page. */
  const isTaken = (choice: Answer['choice']): boolean => question.cut !== true || !mayAllow(question, { choice });
  const isReady = (choice: Answer['choice']): boolean => isSettled && (isRead || !mayAllow(question, { choice }));
  const shown = options.filter((option, index) => !isFreeText(option) && isTaken(index + 1));
  return (
    <div class="choices">
      {shown.map((option) => {
        const index = options.indexOf(option);
        return (
          <button
            key={option.key}
            type="button"
            class={`button choice ${index === 0 && asksYesOrNo(question) ? 'primary' : ''}`}
            disabled={isDisabled}
            aria-disabled={!isReady(index + 1)}
            onClick={() => choose(index)}
          >
            {hasKeys && isNumbered && (
              <span class="kbd" aria-hidden="true">
                {index + 1}
              </span>
            )}
            <ChoiceText title={option.label} about={option.description} />
          </button>
        );
      })}
      {options.length === 0 &&
        asksYesOrNo(question) &&
        BY_WORD.filter(({ choice }) => isTaken(choice)).map(({ title, choice }) => (
          <button
            key={choice}
            type="button"
            class={`button choice ${choice === 'yes' ? 'primary' : ''}`}
            disabled={isDisabled}
            aria-disabled={!isReady(choice)}
            onClick={() => void onAnswer({ choice })}
          >
            {title}
          </button>
        ))}
      {kind === 'permission' && onAlways !== null && question.cut !== true && (
        <button
          type="button"
          class="button quiet"
          disabled={isDisabled}
          aria-disabled={!isReady('always')}
          onClick={() => {
            if (isReady('always')) onAlways();
          }}
        >
          Always…
        </button>
      )}
      {kind !== 'setup' && kind !== 'form' && <OwnWords {...{ question, isDisabled, isSettled, onAnswer }} />}
    </div>
  );
}

const asksYesOrNo = ({ kind }: Question): boolean => kind === 'permission' || kind === 'plan';

function answerShortcuts(question: Question, noKey: string, onAnswer: GiveAnswer): Shortcut[] {
  const give = (keys: string, does: string, choice: NonNullable<Answer['choice']>): Shortcut => ({
    keys,
    does,
    answers: true,
    run: () => void onAnswer({ choice }),
  });
  const { options } = question;
  const numbered = takesNumbers(question) ? options.slice(0, KEYED_OPTIONS) : [];
  return [
    ...(asksYesOrNo(question) ? [give('y', 'Yes', 'yes'), give(noKey, 'No', 'no')] : []),
    ...(options.some(({ means }) => means === 'always') ? [give('a', 'Yes, always', 'always')] : []),
    ...numbered.map(({ label }, index) => give(String(index + 1), label, index + 1)),
  ];
}

/** Opens a field for an answer in the user's own words. */
function OwnWords(props: Pick<ChoicesProps, 'question' | 'isDisabled' | 'isSettled' | 'onAnswer'>) {
  const { question, isDisabled, isSettled, onAnswer } = props;
  const words = useSignal('');
  const isAsking = useSignal(false);
  const isNo = asksYesOrNo(question);
  if (!isAsking.value) {
    return (
      <button
        type="button"
        class="button quiet"
        disabled={isDisabled}
        aria-disabled={!isSettled}
        onClick={() => {
          isAsking.value = true;
        }}
      >
        {isNo ? 'No, and tell Claude why…' : 'Other answer…'}
      </button>
    );
  }
  return (
    <form
      class="row grow own-words"
      onSubmit={submitWith(() => onAnswer(isNo ? { choice: 'no', text: words.value } : { text: words.value }))}
    >
      <input
        class="input"
        ref={takeFocus}
        required
        aria-label={isNo ? 'What Claude should do instead' : 'Your answer'}
        placeholder={isNo ? 'No, and do this instead…' : 'Your answer'}
        {...bind(words)}
      />
      <button type="submit" class="button primary" disabled={isDisabled} aria-disabled={!isSettled}>
        {isNo ? 'Answer no' : 'Answer'}
      </button>
    </form>
  );
}

/** The text field that a button opens replaces the button, and gets the focus. */
function takeFocus(field: HTMLInputElement | null): void {
  field?.focus();
}
