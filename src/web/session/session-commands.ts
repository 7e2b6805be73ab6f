import { attemptsLike } from '../../client/compare.ts';
import { elsewhereOf, isSetUpOpen, type Right, type SeenSession, type Session } from '../../protocol/index.ts';
import { isFinishable } from '../../text/worktree-words.ts';
import { DEED_NAMES, DEEDS, type Deed, type DeedName } from '../actions/deeds.ts';
import { client, sessions } from '../connection/fleet.ts';
import { type AboutSession, type AboutSeveral, overlay } from '../navigation/overlay.ts';
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

/** An action of the menu, unless `isFor` rules it out. `SLUG` in the title stands for the session's name. */
interface MenuRow extends Pick<SessionCommand, 'verb' | 'title' | 'also'> {
  isFor?(session: Session): boolean;
  run(session: Session): void;
}

const opens =
  (about: AboutSession['about']) =>
  ({ slug }: Session): void => {
    overlay.value = { about, slug };
  };

const MENU: readonly MenuRow[] = [
  {
    verb: 'Replay',
    title: 'Replay SLUG',
    also: 'recording play',
    isFor: ({ type }) => type === 'screen',
    run: ({ slug }) => goTo({ page: 'replay', slug, recording: null, offset: null, t: null }),
  },
  {
    verb: 'Changes',
    title: 'Changes in SLUG',
    also: 'diff git files patch',
    run: ({ slug }) => goTo({ page: 'changes', slug, file: null }),
  },
  {
    verb: 'Compare…',
    title: 'Compare SLUG…',
    also: 'attempts side by side times fork',
    run: ({ slug }) => goTo({ page: 'compare', slugs: [slug, ...attemptsLike(slug, sessions.peek().keys())] }),
  },
  {
    verb: 'Finish…',
    title: 'Finish SLUG…',
    also: 'worktree merge rebase squash discard branch',
    isFor: isFinishable,
    run: opens('finish'),
  },
  {
    verb: 'Pull request…',
    title: 'Pull request for SLUG…',
    also: 'github gh push merge branch',
    isFor: isFinishable,
    run: opens('request'),
  },
  {
    verb: 'Set-up…',
    title: 'Set-up of SLUG…',
    also: 'worktree prepare command trust repository',
    isFor: ({ worktree }) => worktree !== undefined,
    run: opens('set-up'),
  },
  {
    verb: 'Skip the set-up…',
    title: 'Skip the set-up of SLUG…',
    also: 'worktree prepare leave out',
    isFor: isSetUpOpen,
    run: ({ slug }) => start('skipSetUp', slug),
  },
  {
    verb: 'Mark as read',
    title: 'Mark SLUG as read',
    also: 'seen',
    isFor: ({ unread }) => unread,
    run: toggleUnread,
  },
  {
    verb: 'Mark as unread',
    title: 'Mark SLUG as unread',
    also: 'seen',
    isFor: ({ unread }) => !unread,
    run: toggleUnread,
  },
  {
    verb: 'Tags…',
    title: 'Tags for SLUG…',
    also: 'tag group label',
    run: ({ slug }) => openFor('tags', slug),
  },
  { verb: 'Snooze…', title: 'Snooze SLUG…', also: 'later wake remind', run: opens('snooze') },
  { verb: 'Fork…', title: 'Fork SLUG…', also: 'copy conversation worktree twice', run: opens('fork') },
  { verb: 'Rename…', title: 'Rename SLUG…', also: 'name', run: opens('rename') },
  { verb: 'Move…', title: 'Move SLUG…', also: 'folder path directory', run: opens('move') },
  { verb: 'Convert…', title: 'Convert SLUG…', also: 'terminal conversation json', run: opens('convert') },
  { verb: 'Export…', title: 'Export SLUG…', also: 'save download', run: opens('export') },
  { verb: 'Why this status?', title: 'Explain SLUG', also: 'why status', run: opens('explain') },
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
  return DEED_NAMES.flatMap((name) => {
    const needed = NEEDED[name];
    if (needed === undefined || !may.includes(needed) || !DEEDS[name].isFor(session)) return [];
    return [{ ...deedCommand(name, session.slug), isBad: DEEDS[name].about !== null, isInMenu: true }];
  });
}

function deedCommand(name: DeedName, slug: string) {
  const { verb, about }: Deed = DEEDS[name];
  const asks = about === null ? '' : '…';
  return { verb: `${verb}${asks}`, title: `${verb} ${slug}${asks}`, also: '', run: () => start(name, slug) };
}

function ownCommands(session: Session): SessionCommand[] {
  const { slug, status } = session;
  const { question } = status;
  const verb = question?.kind === 'permission' || question?.kind === 'plan' ? 'Allow' : 'Answer';
  const hasButton = { isBad: false, isInMenu: false };
  const answer = { verb, title: `${verb} ${slug}…`, also: 'answer allow yes no', run: () => opens('answer')(session) };
  const send = { verb: 'Send', title: `Send to ${slug}…`, also: 'prompt reply text', run: () => openFor('send', slug) };
  return [
    ...(question === null || question.kind === 'closing' ? [] : [{ ...answer, ...hasButton }]),
    { ...send, ...hasButton },
    ...MENU.filter(({ isFor }) => isFor === undefined || isFor(session)).map(({ verb, title, also, run }) => ({
      verb,
      title: title.replace('SLUG', slug),
      also,
      isBad: false,
      isInMenu: true,
      run: () => run(session),
    })),
    ...DEED_NAMES.filter((name) => DEEDS[name].isFor(session)).map((name) => ({
      ...deedCommand(name, slug),
      isBad: DEEDS[name].about !== null && name !== 'archive',
      isInMenu: DEEDS[name].about !== null || name === 'park',
    })),
  ];
}

/** This marks only the news that the user has seen as read, not news that arrived later. */
export function toggleUnread({ slug, unread, news }: Session): void {
  const params = { slug };
  void attempt(() =>
    unread ? client.call('markSeen', { params, body: { news } }) : client.call('markUnseen', { params }),
  );
}

function openFor(about: AboutSeveral['about'], slug: string): void {
  overlay.value = { about, slugs: [slug] };
}

/** Runs an action. If the action has consequences that the user should know about, it asks for confirmation first. */
function start(name: DeedName, slug: string): void {
  const deed: Deed = DEEDS[name];
  if (deed.about !== null) openFor(name, slug);
  else void attempt(() => deed.run(slug)).then((isDone) => isDone && tell(`${slug} ${deed.done}`));
}
