import { formatDuration } from '../text/durations.ts';
import { attentionCount } from '../text/session-words.ts';
import { cleanBlock, cleanLine } from '../text/terminal-text.ts';
import { answer, attach, broadcast, interrupt, recordingFile, refresh, replay } from './actions.ts';
import { type App, requireSelected } from './app.ts';
import { type Command, type CommandSet, createCommandSet } from './command-set.ts';
import { confirmEnd, renameSession, restartSession } from './lifecycle.ts';
import { showChanges } from './modes/changes.ts';
import { confirm } from './modes/confirm.ts';
import { finish } from './modes/finish.ts';
import { archive, tagByWords, unarchive } from './modes/groups.ts';
import { showHelp } from './modes/help.ts';
import { newSession } from './modes/new-session.ts';
import { search } from './modes/search.ts';
import { snoozeByWords, toggleUnread } from './modes/snooze.ts';
import { showStash } from './modes/stash.ts';
import { showPage } from './modes/text-page.ts';
import { countAttentions } from './order.ts';
import { wrap } from './view/cells.ts';

const FORMATS = ['asciicast', 'text', 'html'];

/**
 * The TUI's own commands. They take precedence over Claude Code's commands with the same name (`/status`, `/export`),
 * for which the person must attach.
 */
const COMMANDS: Readonly<Record<string, Command<App>>> = {
  '/status': { usage: '/status', about: 'the server and what the sessions do', run: showStatus },
  '/refresh': { usage: '/refresh', about: 'everything anew', run: refresh },
  '/new': { usage: '/new [NAME]', about: 'a new session', run: (app, words) => newSession(app, words) },
  '/send-all': {
    usage: '/send-all TEXT',
    about: 'one text to every session',
    run(app, words) {
      if (words === '') return app.toast('bad', 'There is no text — /send-all TEXT');
      const count = app.model.view.size;
      confirm(app, { question: `Send it to all ${count} sessions?`, onYes: () => broadcast(app, words) });
    },
  },
  '/search': {
    usage: '/search WORDS',
    about: 'what sessions said and what stood on their screens',
    run: search,
  },
  '/rename': {
    usage: '/rename NAME',
    about: 'another name for the session',
    run(app, words) {
      const session = requireSelected(app);
      if (session !== null) renameSession(app, session, words);
    },
  },
  '/restart': {
    usage: '/restart',
    about: 'launch a stopped session again on its conversation',
    run(app) {
      const session = requireSelected(app);
      if (session !== null) restartSession(app, session);
    },
  },
  '/adopt': {
    usage: '/adopt',
    about: 'take over a session that something else started',
    run(app) {
      const session = requireSelected(app);
      if (session === null) return;
      app.run(async () => {
        const body = { screen_id: session.screen_id ?? '', slug: session.slug };
        const { slug } = await app.client.call('adoptSession', { body });
        app.toast('good', `${slug} is one of yours now`);
      });
    },
  },
  '/export': {
    usage: '/export [FORMAT [FILE]]',
    about: `the recording as ${FORMATS.join(', ')}`,
    run: exportRecording,
  },
  '/explain': { usage: '/explain', about: 'why it has this status', run: (app) => showOutput(app, 'explain') },
  '/interrupt': { usage: '/interrupt', about: 'end its turn', run: interrupt },
  '/no': { usage: '/no TEXT', about: 'no, and do this instead', run: (app, words) => sayNo(app, words) },
  '/stop': {
    usage: '/stop',
    was: '/kill',
    about: 'stop the session; one that is stopped: delete it',
    run(app) {
      const session = requireSelected(app);
      if (session !== null) confirmEnd(app, session);
    },
  },
  '/snooze': {
    usage: '/snooze [TIME|NAME]',
    about: 'it needs you no more until then, or until that session ends',
    run: snoozeByWords,
  },
  '/tag': { usage: '/tag [TAG -TAG]', about: 'its tags: gives those, and takes those with a dash', run: tagByWords },
  '/archive': { usage: '/archive', about: 'a stopped or parked session leaves the list', run: archive },
  '/unarchive': { usage: '/unarchive NAME', about: 'an archived session is listed again', run: unarchive },
  '/unread': { usage: '/unread', about: 'mark it as unread, or as read', run: toggleUnread },
  '/attach': { usage: '/attach', about: 'its real terminal', run: attach },
  '/changes': { usage: '/changes', about: 'what it changed in its repository', run: (app) => showChanges(app) },
  '/finish': { usage: '/finish', about: 'merge or discard its worktree, and remove it', run: finish },
  '/replay': { usage: '/replay', about: 'play its recording', run: replay },
  '/draft': { usage: '/draft', was: '/stash', about: 'the drafts: replies kept for later', run: showStash },
  '/mouse': {
    usage: '/mouse',
    about: 'clicks and the wheel off, or on again; off, your terminal selects text as it always does',
    run(app) {
      app.useMouse(!app.model.hasMouse);
      app.toast('good', app.model.hasMouse ? 'clicks and the wheel count here' : 'the mouse is your terminal’s own');
    },
  },
  '/help': { usage: '/help', about: 'all keys', run: showHelp },
  '/quit': { usage: '/quit', about: 'leave', run: (app) => app.quit() },
};

export const commandSet: CommandSet<App> = createCommandSet(COMMANDS);

function sayNo(app: App, words: string): void {
  if (words === '') app.toast('bad', 'There is no text — /no TEXT');
  else answer(app, { choice: 'no', text: words }, `no, ${words}`);
}

function showStatus(app: App): void {
  app.run(async () => {
    const { version, uptime_ms: uptime } = await app.client.call('health');
    const other = version === app.options.version ? '' : `; this is ${app.options.version} — cbos down && cbos up`;
    const counts = countAttentions(app.model.view).map(
      ({ attention, count }) => `   ${attentionCount(attention, count)}`,
    );
    showPage(app, 'Status', () => [
      '',
      `   server ${version}, up for ${formatDuration(uptime)}${other}`,
      '',
      ...counts,
    ]);
  });
}

/** Shows the output of a CBOS command about the session, as a page. */
function showOutput(app: App, command: string): void {
  const session = requireSelected(app);
  if (session === null) return;
  app.run(async () => {
    const { said } = await app.host.runAside([command, session.slug]);
    showPage(app, `${command} ${session.slug}`, (cols) => wrap(cleanBlock(said).trimEnd(), cols - 1));
  });
}

function exportRecording(app: App, words: string): void {
  const session = requireSelected(app);
  if (session === null) return;
  const [format = 'asciicast', file] = words.split(/\s+/).filter((word) => word !== '');
  if (!FORMATS.includes(format)) {
    app.toast('bad', `There is no format ${format} — ${FORMATS.join(', ')}`);
    return;
  }
  const endings: Readonly<Record<string, string>> = { asciicast: 'cast', text: 'txt', html: 'html' };
  const output = file ?? `${session.slug}.${endings[format]}`;
  app.toast('wait', `exporting to ${output}…`);
  app.run(async () => {
    const recording = await recordingFile(app, session.slug);
    const { code, said } = await app.host.runAside(['export', recording, '--format', format, '--output', output]);
    if (code === 0) app.toast('good', `written: ${output}`);
    else app.toast('bad', cleanLine(said).replace(/^cbos: /, ''));
  });
}
