import { useSignal } from '@preact/signals';
import { mayAllow, type Question, type QuestionMemory } from '../../protocol/index.ts';
import { memoryText, suggestionText } from '../../text/memory-words.ts';
import { client, link } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import type { GiveAnswer } from './question-form.tsx';

/**
 * Returns the earlier answers to a question, or null if there are none or they are not known yet.
 * @param isWanted false if the question is on another machine, or if several sessions ask it
 */
export function useMemory(slug: string, question: Question, isWanted: boolean): QuestionMemory | null {
  const memory = useSignal<QuestionMemory | null>(null);
  const isLive = link.value === 'live';
  const canAsk = isWanted && isLive && question.tool !== null && question.cut !== true;
  useRead(
    canAsk ? () => client.call('questionMemory', { params: { slug }, query: { question_id: question.id } }) : null,
    {
      onRead: (found) => {
        // The session may be asking something else by now, and these answers must not appear below that question.
        if (found.question_id === question.id && found.answers.length > 0) memory.value = found;
      },
      // Ignore this error, because the user can answer the question without them.
      onError: () => undefined,
    },
    // The suggestion depends on the options, which may become known later than the question.
    [slug, question.id, question.options.length, isWanted, isLive],
  );
  return memory.value;
}

/** Shows the user's earlier answers, and a button that repeats the answer if it has always been the same. */
export function MemoryLine(props: {
  memory: QuestionMemory;
  question: Question;
  isDisabled: boolean;
  isSettled: boolean;
  isRead: boolean;
  hasKeys: boolean;
  onAnswer: GiveAnswer;
}) {
  const { memory, question, isDisabled, isSettled, isRead, hasKeys, onAnswer } = props;
  const { suggestion } = memory;
  const again = (): void => {
    if (suggestion !== null) void onAnswer(suggestion);
  };
  const shortcut = { keys: '.', does: 'The same answer as before', answers: true, run: again };
  useShortcuts(hasKeys && suggestion !== null ? [shortcut] : [], [hasKeys, memory, isSettled, isRead]);
  return (
    <div class="memory">
      <p class="faint">{memoryText(memory)}</p>
      {suggestion !== null && (
        <button
          type="button"
          class="button choice"
          disabled={isDisabled}
          aria-disabled={!isSettled || (!isRead && mayAllow(question, suggestion))}
          onClick={again}
        >
          {hasKeys && (
            <span class="kbd" aria-hidden="true">
              .
            </span>
          )}
          <span class="choice-text">{suggestionText(question, suggestion)}</span>
        </button>
      )}
    </div>
  );
}
