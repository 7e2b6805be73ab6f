import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { followRestoration, RESTORATION_ASK_MS } from '../../client/index.ts';
import type { Restoration } from '../../protocol/index.ts';
import { restoredText, untriedText } from '../../text/restore-words.ts';
import { client, link } from '../connection/fleet.ts';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/**
 * Shows the lost sessions and what restoring them would do. After the user has started the restoration, it shows the
 * progress.
 */
export function LostPage() {
  const shown = useSignal<Restoration | null>(null);
  const isGone = useSignal(false);
  useEffect(() => {
    isGone.value = false;
    if (link.value === 'live' && shown.value?.state !== 'running') {
      client
        .call('restore', { body: { dry_run: true } })
        .then((plan) => {
          if (!isGone.value) shown.value = plan;
        })
        .catch(tellError);
    }
    return () => {
      isGone.value = true;
    };
  }, [link.value]);

  const { value: restoration } = shown;
  const sessions = restoration?.sessions ?? [];
  const planned = sessions.filter(({ outcome }) => outcome === 'planned').map(({ session }) => session);
  const untried = sessions.filter(({ outcome }) => outcome === 'not_tried').length;
  const begin = async (): Promise<void> => {
    await attempt(async () => {
      const begun = await client.call('restore', { body: { sessions: planned } });
      const ended = await followRestoration({
        client,
        begun,
        wait: () => new Promise((resolve) => setTimeout(resolve, RESTORATION_ASK_MS)),
        onProgress: (now) => {
          shown.value = now;
        },
        isGone: () => isGone.value,
      });
      if (ended === null) tell('The server was restarted. Reload this page to continue.');
    });
  };
  return (
    <>
      <PageHead title="Lost sessions" />
      <div class="page stack">
        <p class="faint">
          A session is lost if its processes no longer exist, although neither you nor the session ended them, as after
          a reboot.
        </p>
        {restoration !== null && sessions.length === 0 && <p>No session is lost.</p>}
        <ul class="plain" aria-label="Lost sessions">
          {sessions.map((one) => (
            <li key={one.session} class={one.outcome === 'failed' ? 'bad' : ''}>
              {restoredText(one)}
            </li>
          ))}
        </ul>
        {untried > 0 && <p class="notice bad">{untriedText(untried)}</p>}
        {restoration?.state === 'planned' && planned.length > 0 && (
          <div class="row">
            <button type="button" class="button primary" disabled={link.value !== 'live'} onClick={() => void begin()}>
              {planned.length === 1 ? 'Bring it back' : `Bring ${planned.length} sessions back`}
            </button>
          </div>
        )}
      </div>
    </>
  );
}
