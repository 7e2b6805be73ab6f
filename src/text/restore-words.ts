import type { Loss, RestoredSession, RestoreRefusal, Session } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

const LOSSES: Readonly<Record<Loss, string>> = {
  reboot: 'the machine was restarted',
  screen_killed: 'Screen was killed',
  signal: 'a signal ended it while CBOS was not running',
  vanished: 'it disappeared while CBOS was not running',
  shutdown: 'it ended together with CBOS',
};

/** Returns how a session was lost, or an empty string if the session is not lost. */
export function lostText({ lost }: Pick<Session, 'lost'>): string {
  return lost === undefined ? '' : howLost(lost);
}

/** A newer server may send values that this version does not know. */
const howLost = (lost: Loss): string => (Object.hasOwn(LOSSES, lost) ? LOSSES[lost] : 'its processes no longer exist');

/** Says why a session is not restored and what the user can do about it. `SLUG` is replaced by the session's name. */
const REFUSALS: Readonly<Record<RestoreRefusal, readonly [message: string, cure: string]>> = {
  running: ['it is running', ''],
  parked: ['it is parked', 'the next prompt or `cbos wake SLUG` wakes it'],
  json: ['it is a JSON session', 'its next prompt starts its process'],
  ended: ['it was stopped, or ended on its own', '`cbos restart SLUG`'],
  observed: ['another program started it, and CBOS only observed it', '`cbos ls --all` shows its conversation'],
  folder_gone: ['its folder no longer exists', 'create the folder again'],
  worktree_gone: [
    'its worktree no longer exists',
    '`cbos restart SLUG` names the command that brings it back, `cbos rm SLUG` removes the session',
  ],
  own_arguments: [
    'it has no saved conversation, and its launch arguments select a conversation or contain a prompt',
    '`cbos restart SLUG` uses them again',
  ],
  shared: ['another session has its conversation', '`cbos ls --columns name,id` shows which'],
  in_use: ['another Claude Code process has its conversation open', 'end that process first'],
  no_conversation: [
    'its conversation file no longer exists',
    '`cbos restart SLUG --new-conversation` begins a new conversation',
  ],
  gave_up: ['the server has already tried several times', '`cbos restore SLUG`'],
};

/** Says in one line what a restoration will do or has done with a session, or why it leaves the session alone. */
export function restoredText({ session, outcome, lost, how, reason, error }: RestoredSession): string {
  const name = cleanLine(session);
  const way = how === 'anew' ? 'with a new conversation, because it had none yet' : 'with its conversation';
  const because = lost === null ? '' : ` (${howLost(lost)})`;
  switch (outcome) {
    case 'planned':
      return `${name} would come back ${way}${because}`;
    case 'restoring':
      return `${name} is being restored`;
    case 'restored':
      return `${name} is running again, ${way}`;
    case 'left':
      return `${name} stays as it is: ${refusalText(reason, name)}`;
    case 'failed':
      return `${name} failed: ${cleanLine(error?.message ?? '')}; ${cleanLine(error?.hint ?? '')}`;
    case 'not_tried':
      return `${name} not tried`;
  }
}

/** Says that a restoration has skipped sessions. @param count how many sessions it did not try to restore */
export function untriedText(count: number): string {
  return `stopped after repeated failures: ${count} not tried`;
}

function refusalText(reason: RestoreRefusal | null, name: string): string {
  const known = reason === null || !Object.hasOwn(REFUSALS, reason) ? null : REFUSALS[reason];
  if (known === null) return 'the server gives no reason';
  const [message, cure] = known;
  return cure === '' ? message : `${message}; ${cure.replaceAll('SLUG', name)}`;
}
