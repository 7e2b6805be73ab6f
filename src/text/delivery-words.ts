import { type DeliveryPhase, refusalNote } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

const IN_QUEUE = "Typed during a turn, so it is in Claude Code's own queue";

/** Returns details that a delivery's status does not show, or null if there are none. */
const PHASE_WORDS: Readonly<Partial<Record<DeliveryPhase, string>>> = {
  behind_dialog: 'A dialog opened before CBOS could send the text; CBOS sends it when the session is ready',
  behind_view: 'A view covered the prompt before CBOS could send the text; CBOS sends it when the view is closed',
  beside_leftover:
    'An earlier text from CBOS was still in the prompt; CBOS sends this one once the earlier one has been sent or removed',
  put_back:
    'When the turn ended, Claude Code returned the text from its queue; CBOS sends it when the session is ready',
  taken_out: 'CBOS removed the unsent text from the prompt, and sends it when the session is ready',
  resumed: 'The server stopped before sending the text; CBOS sends it when the session is ready',
  looking:
    'The server stopped while pressing Enter; when the session is ready, CBOS checks whether Claude Code received the text',
  under_view:
    'A view opened while CBOS was sending the text; if the text is still in the prompt when the view closes, CBOS sends it then',
  unread: 'The session has not read the text yet; CBOS presses Enter once the text appears in the prompt',
  taken_back:
    "Somebody moved the text from Claude Code's queue back into the prompt; CBOS leaves it to that person to send",
  answering: `${IN_QUEUE}; an answer may end that turn`,
  interrupting: 'CBOS typed Esc, and nothing shows yet whether it interrupted the turn',
  interrupted: 'The turn was interrupted',
  interrupting_again: 'The turn was interrupted',
  never_shown: 'The text never appeared in the prompt, and nothing shows that Claude Code received it',
  no_sign:
    'CBOS pressed Enter, but neither the screen nor a hook nor the transcript shows what happened. Check the session before you send it again',
  cleared: 'CBOS removed the unsent text from the prompt, so it did not arrive',
  unsent: 'The server stopped before sending the text, so it did not arrive. Send it again',
  session_ended: 'Claude Code ended before it began with the text, so it did not arrive. Send it again',
};

/** The note of a prompt that CBOS sent without knowing into which conversation. */
export const UNREPORTED =
  'Claude Code had not reported which conversation it continues, so check that the answer belongs to the right one';

/** @param reason why the delivery failed, in the words of the error, or what CBOS guessed when it sent the prompt */
export function deliveryNote(phase: DeliveryPhase, intoQueue: boolean, reason: string | null): string | null {
  if ((phase === 'refused' || phase === 'refused_back') && reason !== null) return refusalNote(reason);
  if (intoQueue && (phase === 'entering' || phase === 'taken')) return [IN_QUEUE, reason ?? []].flat().join('. ');
  return PHASE_WORDS[phase] ?? reason;
}

type Covering = 'transcript' | 'view' | 'shell' | 'search' | 'agents' | 'unknown';
type Refused =
  | 'not_adopted'
  | 'shell_command'
  | 'slash_command'
  | 'ended'
  | 'unread'
  | 'enter_bound'
  | 'draft'
  | `covered_by_${Covering}`;

/** Says why a message is not being sent and what the user can do about it. `SLUG` is replaced by the session's name. */
const REFUSALS: Readonly<Record<Refused, readonly [message: string, cure?: string]>> = {
  not_adopted: ['CBOS only observes this session'],
  shell_command: ['Text that starts with "!" would run as a shell command'],
  slash_command: ['Text that starts with "/" would run as a slash command'],
  ended: ['The session is stopped', '`cbos restart SLUG` continues its conversation'],
  unread: [
    'The session has not read an earlier prompt yet',
    'Wait until the session continues (`cbos attach SLUG` shows what it is doing), or let CBOS hold the prompt (--queue)',
  ],
  enter_bound: [
    "Enter does not submit the prompt, because Claude Code's keybindings.json binds it to something else",
    'Bind "enter" to "chat:submit" in the context "Chat" of that file, and remove it from "Global"; `cbos doctor` shows the file',
  ],
  draft: [
    'Somebody is typing in the prompt',
    'Send or clear that text first (`cbos attach SLUG`), or let CBOS hold the prompt (--queue)',
  ],
  covered_by_transcript: [
    'The detailed transcript covers the prompt',
    close('Close it with `cbos interrupt SLUG`, or with ctrl+o or Esc'),
  ],
  covered_by_view: [
    "One of Claude Code's views covers the prompt",
    close('Close it with `cbos interrupt SLUG`, or with Esc'),
  ],
  covered_by_shell: [
    'The prompt is in shell mode: the text would run as a command',
    close('Leave that mode with Backspace'),
  ],
  covered_by_search: [
    'The search for earlier prompts is open: Enter would send one of them again',
    close('Close the search with `cbos interrupt SLUG`, or with Esc'),
  ],
  covered_by_agents: ['The list of agents is open: the text would start a new session', close('Go back with Esc')],
  covered_by_unknown: ['Something that CBOS does not recognize covers the prompt', close('Close it')],
};

/** Says that a dialog is open, or a view, of which CBOS can read neither a question nor a name. */
export const UNREAD = 'A dialog or a view is open that CBOS cannot read';
/** Says what to do about it. `SLUG` is replaced by the session's name. */
export const IN_TERMINAL =
  '`cbos attach SLUG` opens the terminal, where you can answer or close it; if Esc does not close it, look for "escape" in Claude Code\'s keybindings.json';

function close(how: string): string {
  return `${how} in the terminal (\`cbos attach SLUG\`), or let CBOS hold the prompt (--queue)`;
}

/**
 * @param asked what the session is asking for, if that is why the message is not sent, or null if unknown
 * @param view the view that a person has opened; it may ask something as well, but can always be closed
 */
export function refusalWords(
  why: Refused | 'asking',
  { slug, asked, view = null }: { slug: string; asked: string | null; view?: string | null },
): { message: string; hint?: string } {
  const isView = view !== null && (why === 'asking' || why === 'covered_by_unknown' || why === 'covered_by_view');
  const [message, cure] =
    why === 'asking' && !isView
      ? [
          asked === null ? UNREAD : `The session asks: ${asked}`,
          asked === null ? IN_TERMINAL : 'Answer it first (`cbos answer SLUG`); `cbos show SLUG` lists the options',
        ]
      : REFUSALS[isView || why === 'asking' ? 'covered_by_view' : why];
  const named = isView ? `${message}: ${JSON.stringify(cleanLine(view))}` : message;
  return { message: named, ...(cure === undefined ? {} : { hint: cure.replaceAll('SLUG', slug) }) };
}
