import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type Elsewhere, openQuestions, placeOf, type SeenSession } from '../../protocol/index.ts';
import { deliveryLine } from '../../text/delivery-text.ts';
import { causeText } from '../../text/machine-words.ts';
import { client, link } from '../connection/fleet.ts';
import { ConversationView } from '../conversation/conversation.tsx';
import { ageText, now } from '../display/clock.ts';
import { shortPath } from '../list/tone.ts';
import { addressOf } from '../navigation/router.ts';
import { bind, submitWith } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { tell, tellError } from '../parts/toasts.tsx';
import { drafts } from './drafts.ts';
import { StatusChip } from './head.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { sessionCommands } from './session-commands.ts';
import { SessionTerminal } from './terminal.tsx';

/**
 * Shows a session on another machine: its terminal or conversation, its question, and the actions that this machine is
 * allowed to perform.
 */
export function FarSession({ session, elsewhere }: { session: SeenSession; elsewhere: Elsewhere }) {
  const { slug, status } = session;
  const path = placeOf(session);
  const { machine, asOf, cause, may, isLive } = elsewhere;
  const tools = useRef<HTMLDivElement>(null);
  const { question } = status;
  const takesText = may.includes('type') && status.primary !== 'dead' && (question?.kind ?? 'closing') === 'closing';
  return (
    <>
      <header class="page-head">
        <a class="button quiet icon back" href={addressOf({ page: 'home' })} aria-label="To the list">
          <Icon name="back" />
        </a>
        <h1 id="session-title" class="clip" tabIndex={-1}>
          {slug}
        </h1>
        <StatusChip session={session} />
        <span class="faint clip grow">{path === null ? '' : shortPath(path)}</span>
        <div class="row" ref={tools} />
        {sessionCommands(session).map(({ verb, isBad, run }) => (
          <button key={verb} type="button" class={`button ${isBad ? 'bad' : ''}`} onClick={run}>
            {verb}
          </button>
        ))}
      </header>
      {session.type === 'json' && isLive ? (
        <ConversationView session={session} seq={null} />
      ) : (
        <SessionTerminal session={session} tools={tools} />
      )}
      <div class="dock">
        {!isLive && asOf === null && (
          <p class="notice" role="status">
            {machine} runs an older version of CBOS, so this server reads its screens once a second. Update CBOS there
            to see them as they change.
          </p>
        )}
        {isLive && !session.adopted && session.type === 'screen' && asOf === null && (
          <p class="notice" role="status">
            Another program started this session, so its screen is read once a second until it is adopted on {machine}.
          </p>
        )}
        {asOf !== null && (
          <p class="notice bad" role="status">
            {machine} {causeText(cause)}. The page shows its state from {ageText(asOf, now.value)} ago; you cannot do
            anything there now.
          </p>
        )}
        <OpenQuestions slug={slug} questions={openQuestions(status)} />
        {takesText && <FarReply slug={slug} />}
      </div>
    </>
  );
}

/**
 * The field for a prompt. The other machine either accepts the prompt immediately or refuses it, because this machine
 * does not hold prompts for other machines' sessions.
 */
function FarReply({ slug }: { slug: string }) {
  const text = drafts.of(slug);
  const isBusy = useSignal(false);
  const send = async (): Promise<void> => {
    if (text.value.trim() === '' || isBusy.value || link.value !== 'live') return;
    isBusy.value = true;
    try {
      const delivery = await client.call('send', { params: { slug }, body: { text: text.value } });
      text.value = '';
      tell(deliveryLine(delivery));
    } catch (error) {
      tellError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="reply row" onSubmit={submitWith(send)}>
      <textarea
        id="reply"
        class="input grow"
        rows={2}
        aria-label={`Reply to ${slug}`}
        placeholder="Your prompt"
        {...bind(text)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing || matchMedia('(pointer: coarse)').matches)
            return;
          event.preventDefault();
          void send();
        }}
      />
      <button type="submit" class="button primary" disabled={isBusy.value || link.value !== 'live'}>
        <Icon name="send" />
        Send
      </button>
    </form>
  );
}
