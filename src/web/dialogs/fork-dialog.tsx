import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { forkedText } from '../../text/worktree-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { goTo } from '../navigation/router.ts';
import { bind, Check } from '../parts/field.tsx';
import { tell } from '../parts/toasts.tsx';
import { ChangeDialog } from './change-dialogs.tsx';

/** Forks a session: a new session continues a copy of its conversation. */
export function ForkDialog({ slug }: { slug: string }) {
  const name = useSignal(freeName(slug));
  const prompt = useSignal('');
  const isInSameFolder = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const fork = async (): Promise<void> => {
    const text = prompt.value.trim();
    const body = {
      slug: name.value,
      ...(isInSameFolder.value ? { same_folder: true } : {}),
      ...(text === '' ? {} : { prompt: text }),
    };
    const forked = await client.call('forkSession', { params: { slug }, body });
    tell(forkedText(slug, forked));
    goTo({ page: 'session', slug: forked.slug });
  };
  return (
    <ChangeDialog
      title={`Fork ${slug}`}
      about="Another session continues a copy of the conversation, in a new worktree with a copy of the files. This session and its files stay as they are."
      button="Fork"
      change={fork}
      focus={field}
    >
      <input
        ref={field}
        class="input"
        aria-label="Name of the fork"
        {...bind(name)}
        pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,63}"
        title="Letters, digits, - and _, up to 64"
        required
      />
      <textarea
        class="input"
        aria-label="First prompt of the fork"
        placeholder="First prompt (optional)"
        rows={3}
        {...bind(prompt)}
      />
      <Check checked={isInSameFolder}>In the same folder: both sessions change the same files</Check>
    </ChangeDialog>
  );
}

/** Returns a name for the fork: `AUTH-2` for `AUTH`, and `AUTH-3` for `AUTH-2`, or the next number that is free. */
function freeName(slug: string): string {
  const base = slug.replace(/-\d{1,3}$/, '').slice(0, 60);
  let number = 2;
  while (sessions.peek().has(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
