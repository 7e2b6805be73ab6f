import {
  elsewhereOf,
  isCurrent,
  isReady,
  isSetUpOpen,
  mayAllow,
  needsYou,
  openQuestions,
  type SeenSession,
  type Session,
  takesNumbers,
} from '../../protocol/index.ts';
import { queueText } from '../../text/session-words.ts';
import { isFinishable } from '../../text/worktree-words.ts';
import { isSuggestionReadable } from '../answer-again.ts';
import type { App } from '../app.ts';
import { isParked, lacksConversation, markedSessions } from '../lifecycle.ts';
import {
  answerDraft,
  isConversation,
  isReadable,
  isSeenWhole,
  listed,
  openPart,
  selectedSession,
  shownQuestion,
} from '../model.ts';
import { hasTerminal, isOffered } from './far-keys.ts';
import { formHints, isFillable } from './fill-form.ts';
import { markedHints } from './marked-keys.ts';
import type { Hint } from './mode.ts';

/** Returns the keys that work while the list and the selected session are shown. */
export function browseHints(app: App): Hint[] {
  const session = selectedSession(app.model);
  const elsewhere = session === null ? null : elsewhereOf(session);
  const hints = allHints(app, session);
  return elsewhere === null ? hints : hints.filter((hint) => isOffered(hint, elsewhere));
}

function allHints(app: App, session: SeenSession | null): Hint[] {
  const { model, options } = app;
  const marked = markedSessions(app).length;
  if (marked > 0) return markedHints(marked);
  const rest: Hint[] = [
    ['n', 'new'],
    ['/', 'search'],
    ['f', 'filter'],
    ['q', 'quit'],
    ['S', 'drafts'],
    [':', 'command'],
    ...(session === null
      ? []
      : ([
          ['e', 'rename'],
          ['d', 'changes'],
          ...(isFinishable(session) ? ([['F', 'finish']] as const) : []),
        ] as Hint[])),
    ['?', 'help'],
  ];
  if (session === null) return rest;
  const { primary } = session.status;
  const question = shownQuestion(model);
  const asked = openQuestions(session.status).length;
  const others = listed(model).filter(
    (other) => other.slug !== session.slug && isCurrent(other) && needsYou(other),
  ).length;
  const next: Hint[] = [
    ...(asked < 2 ? [] : ([[']', 'next question']] as const)),
    ...(others === 0 ? [] : ([['Tab', `next of ${others}`]] as const)),
    ...(lacksConversation(session) ? ([['r', 'new conversation']] as const) : []),
    ...(isSetUpOpen(session) ? ([['W', 'set-up']] as const) : []),
  ];
  if (primary === 'dead' && elsewhereOf(session) !== null) return [...next, ['r', 'restart'], ...rest];
  if (primary === 'dead') return [...next, ['r', 'restart'], ['x', 'delete'], ['R', 'replay'], ...rest];
  const answers: Hint[] = [];
  if (question !== null && question.kind !== 'closing') {
    const part = openPart(question, model.answer);
    if (question.kind === 'form') answers.push(...formHints(question));
    else if (question.kind !== 'question') answers.push(['y', 'yes'], ['n', 'no']);
    if (part.options.some(({ means }) => means === 'always')) answers.push(['a', 'always']);
    if (question.kind === 'permission') answers.push(['A', 'always…']);
    if (isSuggestionReadable(model, options.now())) answers.unshift(['.', 'as before']);
    if (part.options.length > 0 && takesNumbers(question))
      answers.push([`1-${Math.min(9, part.options.length)}`, part.multi ? 'mark' : 'choose']);
    if (answerDraft(question, model.answer).chosen.size > 0) answers.push(['Enter', 'answer']);
  }
  const isOpen = answers.length > 0;
  const isRead = question === null || isReadable(model, options.now());
  const isShort =
    question === null ||
    !mayAllow(question, { choice: 'yes' }) ||
    (question.cut !== true && isSeenWhole(model, question));
  const allowed = isShort ? answers : [['v', 'read all of it'] as const, ...answers.filter(([key]) => key === 'n')];
  return [
    ...(isRead ? allowed : []),
    ['s', isFillable(question) ? 'fill in' : isOpen ? 'in words' : 'reply'],
    ...next,
    ...(primary === 'active' || primary === 'stuck' ? ([['i', 'interrupt']] as Hint[]) : []),
    ...(session.limit_over_at === undefined ? [] : ([['c', 'continue']] as Hint[])),
    ...(session.limit_over_at !== undefined || queueText(session) === ''
      ? []
      : ([['c', 'resume the queue']] as Hint[])),
    ...(isConversation(model, session) ? ([['o', model.isUnfolded ? 'fold' : 'unfold']] as Hint[]) : []),
    ...(hasTerminal(session) ? ([['t', 'attach']] as Hint[]) : []),
    ...parkingHint(session),
    ['x', 'stop'],
    ...(isOpen && question?.kind !== 'question' ? rest.filter(([key]) => key !== 'n') : rest),
  ];
}

function parkingHint(session: Session): Hint[] {
  if (isParked(session)) return [['p', 'wake']];
  return session.type === 'screen' && session.adopted && isReady(session.status) ? [['p', 'park']] : [];
}
