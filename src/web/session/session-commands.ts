import { attemptsLike } from '../../client/compare.ts';
import { elsewhereOf, isSetUpOpen, type Right, type SeenSession, type Session } from '../../protocol/index.ts';
import { isFinishable } from '../../text/worktree-words.ts';
import { DEED_NAMES, DEEDS, type Deed, type DeedName } from '../actions/deeds.ts';
import { client, sessions } from '../connection/fleet.ts';
import { type AboutSession, overlay } from '../navigation/overlay.ts';
import { goTo } from '../navigation/router.ts';
import { attempt, tell } from '../parts/toasts.tsx';

/** An action on one session. */
export interface SessionCommand {
  /**
   * the label of the button on the session's own page; elsewhere, the label includes the session's name, as in `Send to
   * AUTH…`
   */
  verb: string;
  title: string;
  /** other words by which users may search for the action */
  also: string;
  isBad: boolean;
  /** whether the action is in the menu of the session's page; the other actions have buttons there */
  isInMenu: boolean;
  run(): void;
}

const CHANGES: readonly { about: AboutSession['about']; verb: string; title: string; also: string }[] = [
  { about: 'snooze', verb: 'Snooze…', title: 'Snooze SLUG…', also: 'later wake remind' },
  { about: 'fork', verb: 'Fork…', title: 'Fork SLUG…', also: 'copy conversation worktree twice' },
  { about: 'rename', verb: 'Rename…', title: 'Rename SLUG…', also: 'name' },
  { about: 'move', verb: 'Move…', title: 'Move SLUG…', also: 'folder path directory' },
  { about: 'convert', verb: 'Convert…', title: 'Convert SLUG…', also: 'terminal conversation json' },
  { about: 'export', verb: 'Export…', title: 'Export SLUG…', also: 'save download' },
  { about: 'explain', verb: 'Why this status?', title: 'Explain SLUG', also: 'why status' },
];

/** Returns all actions that are currently possible on a session, in the order in which they are shown. */
export function sessionCommands(session: SeenSession): SessionCommand[] {
  const elsewhere = elsewhereOf(session);
  return elsewhere === null ? ownCommands(session) : farCommands(session, elsewhere.may);
}

/**
 * The rights that each action requires for a session on another machine. All other actions work only for sessions on
 * this machine.
 */
const NEEDED: Partial<Record<DeedName, Right>> = { interrupt: 'type', restart: 'launch', stop: 'end' };

function farCommands(session: SeenSession, may: readonly Right[]): SessionCommand[] {
  const { slug } = session;
  return DEED_NAMES.flatMap((name) => {
    const deed: Deed = DEEDS[name];
    const needed = NEEDED[name];
    if (needed === undefined || !may.includes(needed) || !deed.isFor(session)) return [];
    const asks = deed.about === null ? '' : '…';
    const title = `${deed.verb} ${slug}${asks}`;
    return [
      {
        verb: `${deed.verb}${asks}`,
        title,
        also: '',
        isBad: asks !== '',
        isInMenu: true,
        run: () => start(name, slug),
      },
    ];
  });
}

function ownCommands(session: Session): SessionCommand[] {
  const { slug, status, type } = session;
  const { question } = status;
  const open = (about: AboutSession['about']) => () => {
    overlay.value = { about, slug };
  };
  const allows = question?.kind === 'permission' || question?.kind === 'plan';
  const commands: (Omit<SessionCommand, 'isBad' | 'isInMenu'> & Partial<SessionCommand>)[] = [];
  if (question !== null && question.kind !== 'closing') {
    const verb = allows ? 'Allow' : 'Answer';
    commands.push({ verb, title: `${verb} ${slug}…`, also: 'answer allow yes no', run: open('answer') });
  }
  commands.push({
    verb: 'Send',
    title: `Send to ${slug}…`,
    also: 'prompt reply text',
    run: () => {
      overlay.value = { about: 'send', slugs: [slug] };
    },
  });
  if (type === 'screen') {
    commands.push({
      verb: 'Replay',
      title: `Replay ${slug}`,
      also: 'recording play',
      isInMenu: true,
      run: () => goTo({ page: 'replay', slug, recording: null, offset: null, t: null }),
    });
  }
  commands.push({
    verb: 'Changes',
    title: `Changes in ${slug}`,
    also: 'diff git files patch',
    isInMenu: true,
    run: () => goTo({ page: 'changes', slug, file: null }),
  });
  commands.push({
    verb: 'Compare…',
    title: `Compare ${slug}…`,
    also: 'attempts side by side times fork',
    isInMenu: true,
    run: () => goTo({ page: 'compare', slugs: [slug, ...attemptsLike(slug, sessions.peek().keys())] }),
  });
  if (isFinishable(session)) {
    commands.push({
      verb: 'Finish…',
      title: `Finish ${slug}…`,
      also: 'worktree merge rebase squash discard branch',
      isInMenu: true,
      run: open('finish'),
    });
    commands.push({
      verb: 'Pull request…',
      title: `Pull request for ${slug}…`,
      also: 'github gh push merge branch',
      isInMenu: true,
      run: open('request'),
    });
  }
  if (session.worktree !== undefined) {
    commands.push({
      verb: 'Set-up…',
      title: `Set-up of ${slug}…`,
      also: 'worktree prepare command trust repository',
      isInMenu: true,
      run: open('set-up'),
    });
  }
  if (isSetUpOpen(session)) {
    commands.push({
      verb: 'Skip the set-up…',
      title: `Skip the set-up of ${slug}…`,
      also: 'worktree prepare leave out',
      isInMenu: true,
      run: () => start('skipSetUp', slug),
    });
  }
  const marked = session.unread ? 'read' : 'unread';
  commands.push({
    verb: `Mark as ${marked}`,
    title: `Mark ${slug} as ${marked}`,
    also: 'seen',
    isInMenu: true,
    run: () => toggleUnread(session),
  });
  commands.push({
    verb: 'Tags…',
    title: `Tags for ${slug}…`,
    also: 'tag group label',
    isInMenu: true,
    run: () => {
      overlay.value = { about: 'tags', slugs: [slug] };
    },
  });
  for (const { about, verb, title, also } of CHANGES) {
    commands.push({ verb, title: title.replace('SLUG', slug), also, isInMenu: true, run: open(about) });
  }
  for (const name of DEED_NAMES) {
    const deed: Deed = DEEDS[name];
    if (!deed.isFor(session)) continue;
    const asks = deed.about === null ? '' : '…';
    const verb = `${deed.verb}${asks}`;
    const title = `${deed.verb} ${slug}${asks}`;
    commands.push({
      verb,
      title,
      also: '',
      isBad: asks !== '' && name !== 'archive',
      isInMenu: asks !== '' || name === 'park',
      run: () => start(name, slug),
    });
  }
  return commands.map((command) => ({ isBad: false, isInMenu: false, ...command }));
}

/** This marks only the news that the user has seen as read, not news that arrived later. */
export function toggleUnread({ slug, unread, news }: Session): void {
  const params = { slug };
  void attempt(() =>
    unread ? client.call('markSeen', { params, body: { news } }) : client.call('markUnseen', { params }),
  );
}

/** Runs an action. If the action has consequences that the user should know about, it asks for confirmation first. */
function start(name: DeedName, slug: string): void {
  const deed: Deed = DEEDS[name];
  if (deed.about !== null) overlay.value = { about: name, slugs: [slug] };
  else void attempt(() => deed.run(slug)).then((isDone) => isDone && tell(`${slug} ${deed.done}`));
}
