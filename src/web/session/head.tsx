import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Session } from '../../protocol/index.ts';
import { ageText, now } from '../app/clock.ts';
import { addressOf, goTo, replaceBy } from '../app/router.ts';
import { addShortcuts } from '../app/shortcuts.ts';
import { client, link } from '../connection/fleet.ts';
import { shortPath, statusText, toneOf } from '../list/tone.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

type Asking = 'rename' | 'end' | 'delete' | null;

/** Name, status, and what can be done with the session as a whole. */
export function SessionHead({ session }: { session: Session }) {
  const { slug, status } = session;
  const asking = useSignal<Asking>(null);
  const isActive = status.primary === 'active' || status.primary === 'stuck';
  const isDead = status.primary === 'dead';
  const interrupt = (): void => {
    void attempt(() => client.call('interrupt', { params: { slug } }));
  };
  useEffect(() => addShortcuts([{ keys: 'i', does: 'Stop the running turn', run: interrupt }]), [slug]);

  return (
    <header class="page-head">
      <a class="button quiet icon back" href={addressOf({ page: 'home' })} aria-label="To the list">
        <Icon name="back" />
      </a>
      <h1 id="session-title" class="clip" tabIndex={-1}>
        {slug}
      </h1>
      <StatusChip session={session} />
      <span class="faint clip grow wide-only" title={session.path ?? undefined}>
        {session.path === null ? '' : shortPath(session.path)}
        {costText(session.cost_usd)}
      </span>
      <span class="grow narrow-only" />
      {isActive && (
        <button type="button" class="button" aria-label="Stop" onClick={interrupt}>
          <Icon name="stop" />
          <span class="wide-only">Stop</span>
        </button>
      )}
      {isDead && (
        <button
          type="button"
          class="button primary"
          onClick={() => void attempt(() => client.call('restartSession', { params: { slug } }))}
        >
          Restart
        </button>
      )}
      <Menu
        label="More"
        items={[
          { title: 'Replay', run: () => goTo({ page: 'replay', slug, recording: null, offset: null, t: null }) },
          {
            title: 'Rename…',
            run: () => {
              asking.value = 'rename';
            },
          },
          ...(isDead
            ? []
            : [
                {
                  title: 'End the session…',
                  isBad: true,
                  run: () => {
                    asking.value = 'end';
                  },
                },
              ]),
          {
            title: 'Delete…',
            isBad: true,
            run: () => {
              asking.value = 'delete';
            },
          },
        ]}
      />
      {asking.value !== null && (
        <Ask
          session={session}
          what={asking.value}
          onDone={() => {
            asking.value = null;
          }}
        />
      )}
    </header>
  );
}

/** What it cost, where that is anything. */
function costText(costUsd: number | null): string {
  return costUsd === null || costUsd < 0.005 ? '' : ` · $${costUsd.toFixed(2)}`;
}

export function StatusChip({ session }: { session: Session }) {
  const { status } = session;
  const tone = toneOf(session);
  const why = `${status.because.source}: ${status.because.rule}`;
  const isStale = link.value === 'stale';
  return (
    <span class="chip" data-tone={isStale ? 'unknown' : tone} title={why}>
      <span class="dot" data-tone={isStale ? 'unknown' : tone} />
      <span class="clip">{isStale ? `was: ${statusText(session)}` : statusText(session)}</span>
      <span class="chip-age">{ageText(Date.parse(status.since), now.value)}</span>
    </span>
  );
}

function Ask({ session, what, onDone }: { session: Session; what: Exclude<Asking, null>; onDone: () => void }) {
  const { slug } = session;
  const name = useSignal(slug);
  const run = async (): Promise<void> => {
    if (what === 'rename') {
      const renamed = await attempt(() =>
        client.call('patchSession', { params: { slug }, body: { slug: name.value } }),
      );
      if (renamed) replaceBy({ page: 'session', slug: name.value });
    } else if (what === 'end') {
      if (await attempt(() => client.call('killSession', { params: { slug } }))) tell(`${slug} has ended`);
    } else if (await attempt(() => client.call('deleteSession', { params: { slug } }))) {
      goTo({ page: 'home' });
      tell(`${slug} is deleted; its recording stays on the disk`);
    }
    onDone();
  };
  const texts = {
    rename: { title: `Rename ${slug}`, about: 'Its recording is renamed with it.', button: 'Rename' },
    end: {
      title: `End ${slug}?`,
      about: 'Claude Code and everything it started ends. It stays in the list and can be restarted.',
      button: 'End it',
    },
    delete: {
      title: `Delete ${slug}?`,
      about: 'It ends, with everything it started, and leaves the list.',
      button: 'Delete it',
    },
  }[what];
  return (
    <Dialog label={texts.title} onClose={onDone}>
      <form
        class="dialog-body stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <h2>{texts.title}</h2>
        <p class="faint">{texts.about}</p>
        {what === 'rename' && (
          <input
            class="input"
            aria-label="New name"
            value={name.value}
            pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,63}"
            title="Letters, digits, - and _, up to 64"
            required
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value;
            }}
          />
        )}
        <div class="row end">
          <button type="button" class="button" onClick={onDone}>
            Cancel
          </button>
          <button type="submit" class={`button ${what === 'rename' ? 'primary' : 'bad'}`}>
            {texts.button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
