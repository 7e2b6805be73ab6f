import type { RefObject } from 'preact';
import { placeOf, type SeenSession, type Session } from '../../protocol/index.ts';
import { changesFact } from '../../text/changes-words.ts';
import { contextFact, costFact } from '../../text/figure-words.ts';
import { pullRequestText } from '../../text/pull-request-words.ts';
import { setUpNotice } from '../../text/set-up-words.ts';
import { tagsText } from '../../text/tag-words.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';
import { isParked } from '../actions/deeds.ts';
import { client, link } from '../connection/fleet.ts';
import { readAsText, showAsText } from '../conversation/transcript.tsx';
import { ageText, now } from '../display/clock.ts';
import { shortPath, statusText, toneOf } from '../list/tone.ts';
import { overlay } from '../navigation/overlay.ts';
import { addressOf, goTo } from '../navigation/router.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { attempt } from '../parts/toasts.tsx';
import { sessionCommands, toggleUnread } from './session-commands.ts';

interface SessionHeadProps {
  session: Session;
  /** the element into which the view below puts its buttons */
  tools: RefObject<HTMLDivElement | null>;
}

/** Shows the session's name, its status, and the actions on the session as a whole. */
export function SessionHead({ session, tools }: SessionHeadProps) {
  const { slug, status, type } = session;
  const isActive = status.primary === 'active' || status.primary === 'stuck';
  const isStopped = status.primary === 'dead';
  const interrupt = (): void => {
    void attempt(() => client.call('interrupt', { params: { slug } }));
  };
  const restart = (): void => {
    void attempt(() => client.call('restartSession', { params: { slug } }));
  };
  const wake = (): void => {
    void attempt(() => client.call('wakeSession', { params: { slug } }));
  };
  useShortcuts(
    [
      { keys: 'i', does: 'Interrupt the running turn', run: interrupt },
      { keys: 'e', does: 'Rename the session', run: () => ask({ about: 'rename', slug }) },
      { keys: 'd', does: 'Its changes', run: () => goTo({ page: 'changes', slug, file: null }) },
      { keys: 'u', does: 'Mark as unread or read', run: () => toggleUnread(session) },
      { keys: 'Z', does: 'Snooze the session', run: () => ask({ about: 'snooze', slug }) },
      { keys: '#', does: 'Its tags', run: () => ask({ about: 'tags', slugs: [slug] }) },
      { keys: 'X', does: 'Stop the session', run: () => ask({ about: 'stop', slugs: [slug] }) },
      // A stopped session cannot receive a reply, so the key for a reply restarts it.
      ...(isStopped ? [{ keys: 'r', does: 'Restart the session', run: restart }] : []),
    ],
    [slug, isStopped, session.unread, session.news],
  );

  return (
    <header class="page-head">
      <a class="button quiet icon back" href={addressOf({ page: 'home' })} aria-label="To the list">
        <Icon name="back" />
      </a>
      <h1 id="session-title" class="clip" tabIndex={-1}>
        {slug}
      </h1>
      <StatusChip session={session} />
      <span class="faint clip grow wide-only" title={placeOf(session) ?? undefined}>
        {shortPath(placeOf(session) ?? '')}
        {[
          worktreeBranch(session.worktree),
          setUpNotice(session),
          changesFact(session),
          pullRequestText(session),
          tagsText(session),
          costFact(session.cost_usd),
          contextFact(session.context),
        ]
          .filter(Boolean)
          .map((fact) => ` · ${fact}`)}
      </span>
      <span class="grow narrow-only" />
      <div class="row" ref={tools} />
      {type === 'screen' && <ViewSwitch slug={slug} />}
      {isActive && (
        <button type="button" class="button" aria-label="Interrupt" onClick={interrupt}>
          <Icon name="stop" />
          <span class="wide-only">Interrupt</span>
        </button>
      )}
      {isParked(session) && (
        <button type="button" class="button primary" onClick={wake}>
          Wake
        </button>
      )}
      {isStopped && (
        <button type="button" class="button primary" onClick={restart}>
          Restart
        </button>
      )}
      <Menu
        label="More"
        items={sessionCommands(session)
          .filter(({ isInMenu }) => isInMenu)
          .map(({ verb, isBad, run }) => ({ title: verb, isBad, run }))}
      />
    </header>
  );
}

/** A button that switches a terminal session between its screen and its conversation. */
function ViewSwitch({ slug }: { slug: string }) {
  const isText = readAsText.value.has(slug);
  const flip = (): void => showAsText(slug, !readAsText.peek().has(slug));
  useShortcuts([{ keys: 'T', does: 'Terminal or conversation', run: flip }], [slug]);
  return (
    <button type="button" class="button" aria-label={isText ? 'Terminal' : 'Conversation'} onClick={flip}>
      <Icon name={isText ? 'keyboard' : 'chat'} />
      <span class="wide-only">{isText ? 'Terminal' : 'Conversation'}</span>
    </button>
  );
}

function ask(about: NonNullable<typeof overlay.value>): void {
  overlay.value = about;
}

/** Shows the status and the reason for it. */
export function StatusChip({ session }: { session: SeenSession }) {
  const { slug, status, elsewhere } = session;
  const tone = toneOf(session);
  const isStale = link.value === 'stale';
  // The evidence for the status is on the machine that the session runs on.
  if (elsewhere !== undefined) {
    return (
      <span class="chip" data-tone={isStale ? 'unknown' : tone}>
        <span class="dot" data-tone={isStale ? 'unknown' : tone} />
        <span class="clip">{statusText(session)}</span>
        <span class="chip-age">{ageText(elsewhere.asOf ?? Date.parse(status.since), now.value)}</span>
      </span>
    );
  }
  return (
    <button
      type="button"
      class="chip-button"
      title={`Why? ${status.because.source}: ${status.because.rule}`}
      onClick={() => ask({ about: 'explain', slug })}
    >
      <span class="chip" data-tone={isStale ? 'unknown' : tone}>
        <span class="dot" data-tone={isStale ? 'unknown' : tone} />
        <span class="clip">{isStale ? `was: ${statusText(session)}` : statusText(session)}</span>
        <span class="chip-age">{ageText(Date.parse(status.since), now.value)}</span>
      </span>
    </button>
  );
}
