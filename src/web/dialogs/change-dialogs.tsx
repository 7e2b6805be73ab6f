import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { client, sessions } from '../connection/fleet.ts';
import { openSlug } from '../list/arranged.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { replaceBy } from '../navigation/router.ts';
import { FolderField } from '../pages/folder-field.tsx';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind, submitWith } from '../parts/field.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

export function RenameDialog({ slug }: { slug: string }) {
  const name = useSignal(slug);
  const field = useRef<HTMLInputElement>(null);
  const rename = async (): Promise<void> => {
    const isOpen = openSlug.peek() === slug;
    await client.call('patchSession', { params: { slug }, body: { slug: name.value } });
    if (isOpen) replaceBy({ page: 'session', slug: name.value });
  };
  return (
    <ChangeDialog
      title={`Rename ${slug}`}
      about="Its recording is renamed as well."
      button="Rename"
      change={rename}
      focus={field}
    >
      <input
        ref={field}
        class="input"
        aria-label="New name"
        {...bind(name)}
        pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,63}"
        title="Letters, digits, - and _, up to 64"
        required
      />
    </ChangeDialog>
  );
}

export function MoveDialog({ slug }: { slug: string }) {
  const path = useSignal(sessions.peek().get(slug)?.path ?? '');
  const move = async (): Promise<void> => {
    const moved = await client.call('setPath', { params: { slug }, body: { path: path.value.trim() } });
    tell(`From now on, ${slug} starts in ${moved.path}`);
  };
  return (
    <ChangeDialog
      title={`Move ${slug}`}
      about="The session starts in this folder the next time. A running process stays in its current folder."
      button="Move"
      change={move}
    >
      <FolderField path={path} />
    </ChangeDialog>
  );
}

export function ConvertDialog({ slug }: { slug: string }) {
  const to = sessions.peek().get(slug)?.type === 'json' ? 'screen' : 'json';
  const word = to === 'json' ? 'a conversation' : 'a terminal';
  const convert = async (): Promise<void> => {
    await client.call('convertSession', { params: { slug }, body: { type: to } });
    tell(`${slug} is now ${word}`);
  };
  return (
    <ChangeDialog
      title={`Convert ${slug} to ${word}?`}
      about="Claude Code restarts with the same conversation. Everything that it is running stops, too."
      button="Convert"
      change={convert}
    />
  );
}

interface ChangeDialogProps {
  title: string;
  about: string;
  button: string;
  /** makes the change; the dialog is closed afterwards, but if the change fails, it shows the error and stays open */
  change(): Promise<void>;
  focus?: RefObject<HTMLElement | null>;
  children?: ComponentChildren;
}

export function ChangeDialog({ title, about, button, change, focus, children }: ChangeDialogProps) {
  const isBusy = useSignal(false);
  const run = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    if (await attempt(change)) closeOverlay();
    isBusy.value = false;
  };
  return (
    <Dialog label={title} onClose={closeOverlay} {...(focus === undefined ? {} : { focus })}>
      <form class="dialog-body stack" onSubmit={submitWith(run)}>
        <h2>{title}</h2>
        <p class="faint">{about}</p>
        {children}
        <div class="row end">
          <CloseButton>Cancel</CloseButton>
          <button type="submit" class="button primary" disabled={isBusy.value}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
