import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StashedResponse } from '../../protocol/index.ts';
import { client, link } from '../connection/fleet.ts';
import { ageText, now } from '../display/clock.ts';
import { addressOf } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/** Shows the drafts, which are replies that the user has kept for later. */
export function StashPage() {
  const replies = useSignal<readonly StashedResponse[] | null>(null);
  const load = async (): Promise<void> => {
    try {
      replies.value = await client.call('listStash');
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
  }, [link.value]);
  const kept = (replies.value ?? []).filter(({ applied }) => !applied).reverse();

  return (
    <>
      <PageHead title="Drafts" />
      <div class="page stack">
        {replies.value !== null && kept.length === 0 && (
          <div class="empty">
            <h1>No drafts yet</h1>
            <p>
              Write a reply in a session and press Keep as draft. The draft appears here, with the question that it
              answers.
            </p>
          </div>
        )}
        {kept.map((reply) => (
          <article key={reply.id} class="card stash-card stack">
            <div class="row">
              <a href={addressOf({ page: 'session', slug: reply.session_slug })}>
                <strong>{reply.session_slug}</strong>
              </a>
              {reply.when === 'next_waiting' && <span class="chip">queued</span>}
              <span class="faint grow">{ageText(Date.parse(reply.created_at), now.value)}</span>
            </div>
            {reply.question !== null && <p class="faint">{reply.question}</p>}
            <p class="pre">{reply.response}</p>
            <div class="row end">
              <button
                type="button"
                class="button quiet bad"
                onClick={() => void attempt(() => client.call('removeStash', { params: { id: reply.id } })).then(load)}
              >
                Delete
              </button>
              <button
                type="button"
                class="button primary"
                onClick={async () => {
                  if (await attempt(() => client.call('applyStash', { params: { id: reply.id } }))) {
                    tell(`Sent to ${reply.session_slug}`);
                  }
                  await load();
                }}
              >
                Send now
              </button>
            </div>
          </article>
        ))}
      </div>
    </>
  );
}
