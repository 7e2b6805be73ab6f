import type { Session } from '../../protocol/index.ts';
import { type AboutSession, overlay } from '../app/overlay.ts';
import { goTo } from '../app/router.ts';
import { attempt, tell } from '../parts/toasts.tsx';
import { DEED_NAMES, DEEDS, type Deed, type DeedName } from './deeds.ts';

/** Something that can be done with one session. */
export interface SessionCommand {
  /** on a button of the session's own page; with the name in it: `Send to AUTH…` */
  verb: string;
  title: string;
  /** other words under which somebody looks for it */
  also: string;
  isBad: boolean;
  /** in the menu of the session's page; the others have a button there */
  isInMenu: boolean;
  run(): void;
}

const CHANGES: readonly { about: AboutSession['about']; verb: string; title: string; also: string }[] = [
  { about: 'rename', verb: 'Rename…', title: 'Rename SLUG…', also: 'name' },
  { about: 'move', verb: 'Move…', title: 'Move SLUG…', also: 'folder path directory' },
  { about: 'convert', verb: 'Convert…', title: 'Convert SLUG…', also: 'terminal conversation json' },
  { about: 'export', verb: 'Export…', title: 'Export SLUG…', also: 'save download' },
  { about: 'explain', verb: 'Why this status?', title: 'Explain SLUG', also: 'why status' },
];

/** All that can be done with a session now, in the order in which it is offered. */
export function sessionCommands(session: Session): SessionCommand[] {
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
  for (const { about, verb, title, also } of CHANGES) {
    commands.push({ verb, title: title.replace('SLUG', slug), also, isInMenu: true, run: open(about) });
  }
  for (const name of DEED_NAMES) {
    const deed: Deed = DEEDS[name];
    if (!deed.isFor(session)) continue;
    const asks = deed.about === null ? '' : '…';
    const verb = `${deed.verb}${asks}`;
    const title = `${deed.verb} ${slug}${asks}`;
    commands.push({ verb, title, also: '', isBad: asks !== '', isInMenu: asks !== '', run: () => start(name, slug) });
  }
  return commands.map((command) => ({ isBad: false, isInMenu: false, ...command }));
}

/** Asks first where something follows that a person should know before. */
function start(name: DeedName, slug: string): void {
  const deed: Deed = DEEDS[name];
  if (deed.about !== null) overlay.value = { about: name, slugs: [slug] };
  else void attempt(() => deed.run(slug)).then((isDone) => isDone && tell(`${slug} ${deed.done}`));
}
