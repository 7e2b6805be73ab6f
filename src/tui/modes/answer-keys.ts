import { mayAllow, openQuestions, type Question, type QuestionPart, takesNumbers } from '../../protocol/index.ts';
import { queueText } from '../../text/session-words.ts';
import { answer, chooseAlways, chooseOption, continueSession, interrupt, submitChosen } from '../actions.ts';
import { answerAgain, isSuggestionReadable } from '../answer-again.ts';
import { type App, onOwn, onSelected } from '../app.ts';
import { answerDraft, isReadable, isSeenWhole, openPart, selectedSession, shownQuestion } from '../model.ts';
import { type BrowseKey, key, notWhileMarked, ofOne, ofRunning } from './browse-key.ts';
import { formHints, isFillable, replyOrFill } from './fill-form.ts';
import { goToQuestion, showQuestion } from './read-question.ts';

interface Asked {
  question: Question;
  part: QuestionPart;
}

/** Returns the question of the selected session, unless the session is stopped or ended its turn with the question. */
function askedOf({ model }: App): Asked | null {
  const question = shownQuestion(model);
  if (question === null || question.kind === 'closing') return null;
  if (selectedSession(model)?.status.primary === 'dead') return null;
  return { question, part: openPart(question, model.answer) };
}

/** `n` means "no" if the question can be answered with yes or no. Otherwise, it opens the form for a new session. */
export function takesNo(app: App): boolean {
  const asked = askedOf(app);
  return asked !== null && asked.question.kind !== 'question';
}

/** Reports whether the user may allow the call, which requires that the call was shown in full. */
const maySayYes = ({ model }: App, question: Question): boolean =>
  !mayAllow(question, { choice: 'yes' }) || (question.cut !== true && isSeenWhole(model, question));

type Offered = (asked: Asked, app: App) => string | null;

/** Returns the words of a hint while keypresses answer the open question. */
const ofQuestion =
  (does: Offered) =>
  (app: App): string | null => {
    const asked = askedOf(app);
    return asked !== null && isReadable(app.model, app.options.now()) ? does(asked, app) : null;
  };

/** Returns the words of a hint for an answer that may allow a call. */
const ofAnswer = (does: Offered): ((app: App) => string | null) =>
  ofQuestion((asked, app) => (maySayYes(app, asked.question) ? does(asked, app) : null));

/** Returns what `y` or `n` means for a question, or null if the question does not take it. */
function yesOrNo(question: Question, key: 'y' | 'n'): string | null {
  if (question.kind === 'form') return formHints(question).find(([name]) => name === key)?.[1] ?? null;
  if (question.kind === 'question') return null;
  return key === 'y' ? 'yes' : 'no';
}

const hasOptions = ({ question, part }: Asked): boolean => part.options.length > 0 && takesNumbers(question);

/** The keys that answer the open question of the selected session. */
export const ANSWER_KEYS: readonly BrowseKey[] = [
  {
    keys: ['y'],
    far: 'answer',
    does: ofAnswer(({ question }) => yesOrNo(question, 'y')),
    disabled: notWhileMarked,
    helpKeys: 'y n a',
    help: 'yes, no, always',
    run: (app) => answer(app, { choice: 'yes' }, 'yes'),
  },
  {
    keys: ['n'],
    far: 'answer',
    applies: (app) => takesNo(app) || notWhileMarked(app) !== null,
    does: ofQuestion(({ question }) => yesOrNo(question, 'n')),
    disabled: notWhileMarked,
    run: (app) => answer(app, { choice: 'no' }, 'no'),
  },
  {
    keys: ['a'],
    far: 'answer',
    does: ofAnswer(({ part }) => (part.options.some(({ means }) => means === 'always') ? 'always' : null)),
    disabled: notWhileMarked,
    run: (app) => answer(app, { choice: 'always' }, 'always'),
  },
  key('A', 'choose how far an "always" reaches: this session, this project, or a rule', {
    does: ofAnswer(({ question }) => (question.kind === 'permission' ? 'always…' : null)),
    run: chooseAlways,
  }),
  ofOne('.', 'give the same answer as before, if you always answered this question the same way in this project', {
    does: ofAnswer((_, { model, options }) => (isSuggestionReadable(model, options.now()) ? 'as before' : null)),
    run: answerAgain,
  }),
  {
    keys: Array.from({ length: 9 }, (_, index) => String(index + 1)),
    far: 'answer',
    label: (app) => `1-${Math.min(9, askedOf(app)?.part.options.length ?? 9)}`,
    does: ofAnswer((asked) => (hasOptions(asked) ? (asked.part.multi ? 'mark' : 'choose') : null)),
    disabled: notWhileMarked,
    helpKeys: '1-9',
    help: 'choose an option; if you can choose several, mark them, then press Enter',
    run: (app, key) => chooseOption(app, Number(key)),
  },
  {
    keys: ['enter'],
    far: 'answer',
    does: ofAnswer(({ question }, { model }) =>
      answerDraft(question, model.answer).chosen.size > 0 ? 'answer' : null,
    ),
    run(app) {
      const session = selectedSession(app.model);
      if (session === null || !submitChosen(app, session)) replyOrFill(app);
    },
  },
  {
    keys: ['s'],
    far: 'type',
    does: ofRunning((_, app) => {
      const asked = askedOf(app);
      if (isFillable(asked?.question ?? null)) return 'fill in';
      return takesNo(app) || (asked !== null && hasOptions(asked)) ? 'in words' : 'reply';
    }),
    helpKeys: 's Enter',
    help: 'answer in your own words',
    run: replyOrFill,
  },
  {
    keys: [']', '['],
    does: ({ model }) => {
      const status = selectedSession(model)?.status;
      return status !== undefined && openQuestions(status).length > 1 ? 'next question' : null;
    },
    helpKeys: '] [',
    help: 'the next and the previous question, if the session asks several',
    run: (app, key) => goToQuestion(app, key === ']' ? 1 : -1),
  },
  ofOne('v', 'read the whole question, if it does not fit', {
    far: 'any',
    does: ofQuestion(({ question }, app) => (maySayYes(app, question) ? null : 'read all of it')),
    run: onSelected(showQuestion),
  }),
];

/** The keys that affect the turn and the queue of the selected session. */
export const TURN_KEYS: readonly BrowseKey[] = [
  key('i', 'interrupt its turn, which also pauses its queue', {
    far: 'type',
    does: ofRunning(({ status: { primary } }) => (primary === 'active' || primary === 'stuck' ? 'interrupt' : null)),
    run: onSelected(interrupt),
  }),
  ofOne('c', 'resume its queue', {
    does: ofRunning((session) => {
      if (session.limit_over_at !== undefined) return 'continue';
      return queueText(session) === '' ? null : 'resume the queue';
    }),
    run: onOwn(continueSession),
  }),
];
