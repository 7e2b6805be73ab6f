import { useSignal } from '@preact/signals';
import type { Conversation, SessionType } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { client, link } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { ageText, now } from '../display/clock.ts';
import { shortPath } from '../list/tone.ts';
import { goTo } from '../navigation/router.ts';
import { attempt, tellError } from '../parts/toasts.tsx';

/** How many conversations to show at once. A search is a faster way to find others. */
const SHOWN_AT_ONCE = 5;

interface RecentConversationsProps {
  /** the type of the session that continues a conversation */
  type: SessionType;
  /** returns an unused name for a session in a folder */
  nameFor(path: string): string;
}

/**
 * Lists the Claude Code conversations that do not belong to a session yet, newest first. The user can continue any of
 * them.
 */
export function RecentConversations({ type, nameFor }: RecentConversationsProps) {
  const found = useSignal<readonly Conversation[]>([]);
  const isWhole = useSignal(false);
  const isBusy = useSignal(false);
  useRead(
    link.value === 'live' ? () => client.call('conversations') : null,
    {
      onRead: (conversations) => {
        found.value = conversations;
      },
      onError: tellError,
    },
    [link.value],
  );
  if (found.value.length === 0) return null;
  const shown = isWhole.value ? found.value : found.value.slice(0, SHOWN_AT_ONCE);

  const goOn = async ({ claude_session_id: resume, path }: Conversation): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    const name = nameFor(path);
    await attempt(async () => {
      const body = { resume, type, ...(name === '' ? {} : { slug: name }) };
      const { slug } = await client.call('adoptSession', { body });
      goTo({ page: 'session', slug });
    });
    isBusy.value = false;
  };

  return (
    <section class="stack" aria-labelledby="recent-conversations">
      <h2 id="recent-conversations" class="label">
        Or continue one of your recent conversations
      </h2>
      <ul class="plain recent-conversations">
        {shown.map((conversation) => {
          const { claude_session_id: id, title, path, pid, last_activity: at } = conversation;
          return (
            <li key={id} class="card">
              <div class="grow">
                <p class="clip">{showHiddenMarks(title ?? 'Without a prompt')}</p>
                <p class="faint clip" title={path}>
                  {shortPath(path)} · {ageText(Date.parse(at), now.value)}
                  {pid === null ? '' : ` · open in process ${pid}; end that process first`}
                </p>
              </div>
              <button
                type="button"
                class="button"
                disabled={isBusy.value || pid !== null}
                onClick={() => void goOn(conversation)}
              >
                Continue
              </button>
            </li>
          );
        })}
      </ul>
      {shown.length < found.value.length && (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show the other {found.value.length - shown.length}
        </button>
      )}
    </section>
  );
}
