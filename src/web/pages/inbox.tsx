import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import {
  createAnswerHold,
  type HeldAnswer,
  type InboxCard,
  idOf,
  inboxCards,
  type LimitCard,
  type QuestionCard,
  sendHeld,
} from '../../client/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { LIMIT_OVER_TEXT } from '../../text/limit-words.ts';
import { client, link, noticeRefusal, sessions } from '../connection/fleet.ts';
import { shortPath } from '../list/tone.ts';
import { overlay } from '../navigation/overlay.ts';
import { addressOf } from '../navigation/router.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { PageHead } from '../parts/page-head.tsx';
import { tell, tellError } from '../parts/toasts.tsx';
import { QuestionPanel } from '../session/question.tsx';
import { ClosingReply } from '../session/question-form.tsx';
import { useSettled } from '../session/settled.ts';

/** Counts the changes to the held answers, so that everything that depends on them is redrawn. */
const changes = signal(0);
/** The skipped questions, in the order in which the user skipped them. */
const skipped = signal<readonly string[]>([]);

/**
 * A held answer is sent even if the user has moved on to another part of the page. If the page is closed first, the
 * answer is not sent.
 */
const hold = createAnswerHold({
  startTimer: (work, delayMs) => {
    const timer = window.setTimeout(work, delayMs);
    return () => window.clearTimeout(timer);
  },
  send: (asker, held) => sendHeld(client, asker, held),
  onChange: () => {
    changes.value += 1;
  },
  onDone: ({ said }, outcomes) => {
    const good = outcomes.filter(({ error }) => error === null).map(({ slug }) => slug);
    if (good.length > 0) tell(`${good.join(', ')}: ${said}`);
    for (const { slug, error } of outcomes) {
      if (error === null) continue;
      noticeRefusal(error);
      if (error instanceof CatalogueError) tellError(new CatalogueError(error.code, `${slug}: ${error.message}`));
      else tellError(error);
    }
  },
});

/** Shows one question at a time. Each question accepts keys only after it has been visible for a moment. */
export function InboxPage() {
  void changes.value;
  const cards = inboxCards(sessions.value.values(), { leaving: hold.leaving(), skipped: skipped.value });
  const held = hold.held();
  const shown = useRef<string | null>(null);
  // Do not replace the question that the user is reading, even if another one becomes more urgent.
  const card = cards.find(({ askers }) => askers.some((asker) => idOf(asker) === shown.current)) ?? cards[0] ?? null;
  const [first] = card?.askers ?? [];
  shown.current = first === undefined ? null : idOf(first);

  const skip = (): void => {
    if (card === null || cards.length < 2) return;
    const ids = card.askers.map(idOf);
    shown.current = null;
    skipped.value = [...skipped.peek().filter((id) => !ids.includes(id)), ...ids];
  };
  const undo = (): void => {
    const taken = hold.undo();
    if (taken === null) return;
    const [back] = taken.card.askers;
    shown.current = back === undefined ? null : idOf(back);
    changes.value += 1;
    tell('Taken back: nothing was sent');
  };
  const snooze = (): void => {
    if (first !== undefined) overlay.value = { about: 'snooze', slug: first.slug };
  };
  useShortcuts(
    [
      { keys: 'j', does: 'Skip the question', run: skip },
      { keys: 'u', does: 'Take the last answer back', run: undo },
      { keys: 'Z', does: 'Snooze the session that asks', run: snooze },
    ],
    [card?.key, held.length, cards.length],
  );
  return (
    <>
      <PageHead
        title={card === null ? 'Inbox' : `Inbox: ${cards.length === 1 ? 'one question' : `${cards.length} questions`}`}
      >
        {cards.length > 1 && (
          <button type="button" class="button" onClick={skip}>
            Skip
          </button>
        )}
        {first !== undefined && (
          <button type="button" class="button" onClick={snooze}>
            Snooze…
          </button>
        )}
      </PageHead>
      <div class="page stack">
        {held.length > 0 && <Leaving held={held} undo={undo} />}
        {card === null ? (
          <p class="empty">{link.value === 'live' ? 'No session has a question.' : 'Connecting…'}</p>
        ) : (
          <Card key={card.key} card={card} />
        )}
      </div>
    </>
  );
}

function Leaving({ held, undo }: { held: readonly HeldAnswer[]; undo: () => void }) {
  const last = held.at(-1);
  return (
    <p class="notice row" role="status">
      <span class="grow">
        {last?.card.askers.map(({ slug }) => slug).join(', ')}: {last?.said}. It is sent in a moment
        {held.length > 1 ? `, with ${held.length - 1} before it` : ''}.
      </span>
      <button type="button" class="button" onClick={undo}>
        Undo
      </button>
    </p>
  );
}

/** Create a new card for each question and each asker, so that a key pressed for the previous card does not count. */
function Card({ card }: { card: InboxCard }) {
  const { askers } = card;
  return (
    <article class="stack" aria-label={askers.map(({ slug }) => slug).join(', ')}>
      <p>
        {askers.map(({ slug, path, id }, index) => (
          <span key={`${slug} ${id}`}>
            {index > 0 && ', '}
            <a href={addressOf({ page: 'session', slug })}>
              <strong>{slug}</strong>
            </a>
            {path !== null && <span class="faint"> in {shortPath(path)}</span>}
          </span>
        ))}
        {askers.length > 1 && ` ask the same: one answer goes to all ${askers.length}.`}
      </p>
      {card.about === 'limit' ? <LimitPanel card={card} /> : <Asked card={card} />}
    </article>
  );
}

function Asked({ card }: { card: QuestionCard }) {
  const { question, askers } = card;
  const [first] = askers;
  const give = (answer: NonNullable<HeldAnswer['answer']>, said: string): void => hold.give({ card, answer, said });
  if (first === undefined) return null;
  return (
    <>
      <QuestionPanel
        slug={first.slug}
        isOfSeveral={askers.length > 1}
        {...{ question }}
        hasKeys
        cameByItself
        onGive={give}
      />
      {question.kind === 'closing' && <ClosingReply onGive={(text) => give({ text }, text)} />}
    </>
  );
}

function LimitPanel({ card }: { card: LimitCard }) {
  const panel = useRef<HTMLElement>(null);
  const isSettled = useSettled(panel, true);
  const goOn = (): void => {
    if (isSettled && link.value === 'live') hold.give({ card, answer: null, said: 'continue' });
  };
  useShortcuts(
    [{ keys: 'c', does: 'Continue after the usage limit', answers: true, run: goOn }],
    [card.key, isSettled],
  );
  return (
    <section ref={panel} class="question card" aria-label="Usage limit">
      <p class="question-text">{LIMIT_OVER_TEXT}</p>
      <div class="choices">
        <button
          type="button"
          class="button choice primary"
          disabled={link.value !== 'live'}
          aria-disabled={!isSettled}
          onClick={goOn}
        >
          <span class="kbd" aria-hidden="true">
            c
          </span>
          Continue
        </button>
      </div>
    </section>
  );
}
