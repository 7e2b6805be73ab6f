import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RepositoryWorktrees } from '../../protocol/index.ts';
import { setUpStateText } from '../../text/set-up-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { SetUpFile } from '../pages/set-up-file.tsx';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { tellError } from '../parts/toasts.tsx';

/** Shows the set-up that prepares a session's worktree. */
export function SetUpDialog({ slug }: { slug: string }) {
  const session = sessions.value.get(slug);
  const list = useSignal<RepositoryWorktrees | null>(null);
  const path = session?.worktree?.repository ?? session?.path ?? null;
  const load = async (): Promise<void> => {
    if (path === null) return;
    try {
      const [found] = await client.call('listWorktrees', { query: { path } });
      list.value = found ?? null;
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    void load();
  }, [path]);
  if (session === undefined) return null;
  const state = setUpStateText(session, list.value?.set_up);
  return (
    <Dialog label={`Set-up of ${slug}`} onClose={closeOverlay} isWide>
      <div class="dialog-body stack">
        <h2>Set-up of {slug}</h2>
        {state !== '' && <p>{state}</p>}
        {list.value === null ? <p class="faint">Reading…</p> : <SetUpFile list={list.value} onDone={load} />}
        <div class="row end">
          <CloseButton>Close</CloseButton>
        </div>
      </div>
    </Dialog>
  );
}
