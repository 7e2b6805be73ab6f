import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CatalogueError, type Delivery, type Session } from '../../protocol/index.ts';
import { client, link } from '../connection/fleet.ts';
import { focusOn, useShortcuts } from '../navigation/shortcuts.ts';
import { submitWith } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';
import { attach, attachedTo, forgetAttached } from './attached.ts';
import { AttachButton, AttachedFiles, useDroppedFiles } from './attached-files.tsx';
import { CompletionList, useCompletion } from './completion.tsx';
import { Deliveries, useDeliveries } from './deliveries.tsx';
import { drafts } from './drafts.ts';
import { usePromptHistory } from './prompt-history.ts';

const REPLY_ID = 'reply';
/** The maximum height of the field. Longer text scrolls, so that the session stays in view. */
const MAX_HEIGHT_PX = 220;

/**
 * The field for a prompt. The user can send the prompt immediately, have it sent when the session is ready, or keep it
 * as a draft.
 */
export function ReplyBox({ session }: { session: Session }) {
  const { slug, status } = session;
  const text = drafts.of(slug);
  const field = useRef<HTMLTextAreaElement>(null);
  const { send, refused, deliveries, isBusy, isEmpty, areFilesPending } = useSend(session, text);
  const recall = usePromptHistory(slug, text);
  const completing = useCompletion(slug, text, field);
  const isDialogOpen = status.question !== null && status.question.kind !== 'closing';
  const isDead = status.primary === 'dead';
  const isActive = status.primary === 'active' || status.primary === 'stuck';

  useShortcuts(isDead ? [] : [{ keys: 'r', does: 'Write a reply', run: () => focusOn(REPLY_ID) }], [isDead]);
  useDroppedFiles(slug, isDead);
  useEffect(() => {
    if (field.current === null) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${Math.min(field.current.scrollHeight + 2, MAX_HEIGHT_PX)}px`;
  }, [text.value]);

  const isOffline = link.value !== 'live';
  const hasNoText = text.value.trim() === '';
  const isUnsendable = isEmpty || areFilesPending || isOffline;
  return (
    <form class="reply" onSubmit={submitWith(() => send(isDialogOpen ? { queue: true } : {}))}>
      <Deliveries list={deliveries} />
      {refused.value !== null && <Refused refusal={refused.value} onSend={(how) => void send(how)} />}
      <AttachedFiles slug={slug} />
      <div class="reply-field">
        <CompletionList completing={completing} />
        <textarea
          id={REPLY_ID}
          ref={field}
          class="input"
          rows={1}
          aria-label={`Reply to ${slug}`}
          aria-autocomplete="list"
          aria-controls={completing.items.value.length > 0 ? 'completions' : undefined}
          aria-activedescendant={completing.chosen.value >= 0 ? `completion-${completing.chosen.value}` : undefined}
          placeholder={placeholder({ isDead, isDialogOpen, isActive, isClosing: status.question?.kind === 'closing' })}
          disabled={isDead}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            refused.value = null;
            completing.look();
          }}
          onPaste={(event) => {
            const { clipboardData: pasted } = event;
            // A program from which the user copies a table may also offer a picture of the table. The user wants the
            // text.
            if (pasted === null || pasted.files.length === 0 || pasted.types.includes('text/plain')) return;
            event.preventDefault();
            attach(slug, [...pasted.files]);
          }}
          onBlur={completing.close}
          onKeyDown={(event) => {
            if (completing.handleKey(event)) return;
            if (!event.isComposing && recall(event)) {
              event.preventDefault();
              return;
            }
            // On a phone's keyboard, Enter is the only way to start a new line, so on a phone, only the button sends
            // the prompt.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing || matchMedia('(pointer: coarse)').matches)
              return;
            event.preventDefault();
            void send(isDialogOpen ? { queue: true } : {});
          }}
        />
        <div class="row reply-buttons">
          <AttachButton slug={slug} isDisabled={isDead || isOffline} />
          <button
            type="button"
            class="button quiet"
            disabled={hasNoText || isOffline}
            onClick={() => void keepAsDraft(session, text)}
          >
            Keep as draft
          </button>
          {isActive && (
            <button type="button" class="button" disabled={isUnsendable} onClick={() => void send({ queue: true })}>
              Queue
            </button>
          )}
          <button type="submit" class="button primary" disabled={isUnsendable || isBusy.value || isDead}>
            <Icon name={isDialogOpen ? 'clock' : 'send'} />
            {isDialogOpen ? 'Queue' : 'Send'}
          </button>
        </div>
      </div>
    </form>
  );
}

/** Sends the prompt and the files that are attached to it. */
function useSend(session: Session, text: Signal<string>) {
  const { slug } = session;
  const files = attachedTo(slug).value;
  const isBusy = useSignal(false);
  const refused = useSignal<Refusal | null>(null);
  const deliveries = useDeliveries(session);
  const isEmpty = text.value.trim() === '' && files.length === 0;
  const areFilesPending = files.some(({ state }) => state.at !== 'stored');
  const send = async (how: How = {}): Promise<void> => {
    if (isEmpty || isBusy.value) return;
    if (areFilesPending) {
      tell('A file is still being uploaded; wait for it, or remove it');
      return;
    }
    isBusy.value = true;
    try {
      const ids = files.flatMap(({ state }) => (state.at === 'stored' ? [state.id] : []));
      const body = { text: text.value, ...(ids.length === 0 ? {} : { files: ids }), ...how };
      const delivery: Delivery = await client.call('send', { params: { slug }, body });
      text.value = '';
      forgetAttached(slug);
      refused.value = null;
      deliveries.add(delivery);
    } catch (error) {
      refused.value = refusalOf(error, text.value, how);
      if (refused.value === null) tellError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { send, refused, deliveries, isBusy, isEmpty, areFilesPending };
}

async function keepAsDraft({ slug, status }: Session, text: Signal<string>): Promise<void> {
  const question = status.question?.text;
  const kept = await attempt(() =>
    client.call('addStash', {
      body: { session_slug: slug, response: text.value, ...(question === undefined ? {} : { question }) },
    }),
  );
  if (!kept) return;
  text.value = '';
  tell('Kept as a draft');
}

interface How {
  queue?: boolean;
  command?: boolean;
}

/** A message that was refused, and how the session would accept it. */
interface Refusal {
  why: string;
  offer: string;
  how: How;
}

/** Returns how a refused message can be sent, or null if there is no way. */
function refusalOf(error: unknown, text: string, how: How): Refusal | null {
  if (!(error instanceof CatalogueError)) return null;
  if (error.code === 'command_prefix') {
    const kind = text.startsWith('!') ? 'shell' : 'slash';
    return {
      why: `This would run as a ${kind} command.`,
      offer: 'Run it as a command',
      how: { ...how, command: true },
    };
  }
  // A dialog blocks the prompt, or the prompt contains text that somebody else has typed.
  if (error.code !== 'not_accepting_text' || how.queue === true) return null;
  return { why: `${error.message}.`, offer: 'Send as a separate prompt afterwards', how: { ...how, queue: true } };
}

function Refused({ refusal, onSend }: { refusal: Refusal; onSend: (how: How) => void }) {
  return (
    <div class="notice needs row wrap" role="alert">
      <span class="grow">{refusal.why}</span>
      <button type="button" class="button" onClick={() => onSend(refusal.how)}>
        {refusal.offer}
      </button>
    </div>
  );
}

function placeholder(is: { isDead: boolean; isDialogOpen: boolean; isActive: boolean; isClosing: boolean }): string {
  if (is.isDead) return 'The session is stopped';
  if (is.isDialogOpen) return 'A prompt for later';
  if (is.isActive) return 'Add to the running turn';
  return is.isClosing ? 'Your answer' : 'Your prompt';
}
