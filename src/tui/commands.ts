import { elsewhereOf, type SeenSession } from '../protocol/index.ts';
import { formatDuration } from '../text/durations.ts';
import { attentionCount } from '../text/session-words.ts';
import { cleanBlock, cleanLine } from '../text/terminal-text.ts';
import { answer, attach, broadcast, interrupt, refresh } from './actions.ts';
import { type App, onOwn, onSelected } from './app.ts';
import { type Command, type CommandSet, createCommandSet } from './command-set.ts';
import { confirmEnd, forkSession, renameSession, restartSession } from './lifecycle.ts';
import { showAudit } from './modes/audit.ts';
import { budgetByWords } from './modes/budgets.ts';
import { showCatchup } from './modes/catchup.ts';
import { showChanges } from './modes/changes.ts';
import { compareByWords } from './modes/compare.ts';
import { confirm } from './modes/confirm.ts';
import { finish } from './modes/finish.ts';
import { archive, tagByWords, unarchive } from './modes/groups.ts';
import { showHelp } from './modes/help.ts';
import { showInbox } from './modes/inbox.ts';
import { newSession } from './modes/new-session.ts';
import { showResources } from './modes/resources.ts';
import { restoreLost } from './modes/restore.ts';
import { showRules } from './modes/rules.ts';
import { showSchedules } from './modes/schedules.ts';
import { search } from './modes/search.ts';
import { setUpByWords } from './modes/set-up.ts';
import { notifyByWords } from './modes/sinks.ts';
import { snoozeByWords, toggleUnread } from './modes/snooze.ts';
import { showStash } from './modes/stash.ts';
import { showPage } from './modes/text-page.ts';
import { viewByWords } from './modes/views.ts';
import { countAttentions } from './order.ts';
import { recordingFile, replay } from './replay.ts';
import { sendFile } from './send-file.ts';
import { wrap } from './view/cells.ts';

const FORMATS = ['asciicast', 'text', 'html'];

/**
 * The TUI's own commands. They take precedence over Claude Code's commands of the same name, such as `/status` and
 * `/export`. To use the latter, the user must attach to the session.
 */
const COMMANDS: Readonly<Record<string, Command<App>>> = {
  '/status': { usage: '/status', about: 'show the state of the server and the sessions', run: showStatus },
  '/refresh': { usage: '/refresh', about: 'redraw everything', run: refresh },
  '/new': { usage: '/new [NAME]', about: 'create a session', run: (app, words) => newSession(app, words) },
  '/send-all': {
    usage: '/send-all TEXT',
    about: 'send a prompt to every session',
    run(app, words) {
      if (words === '') return app.toast('bad', 'No text given — /send-all TEXT');
      const count = [...app.model.view.values()].filter((session) => elsewhereOf(session) === null).length;
      confirm(app, { question: `Send it to all ${count} sessions?`, onYes: () => broadcast(app, words) });
    },
  },
  '/search': {
    usage: '/search WORDS',
    about: 'search what sessions said and what their screens showed',
    run: search,
  },
  '/rename': {
    usage: '/rename NAME',
    about: 'rename the session',
    run: onOwn(renameSession),
  },
  '/fork': {
    usage: '/fork NAME [--same-folder]',
    about: 'fork the session: continue a copy of its conversation in a copy of its worktree',
    run: onOwn(forkSession),
  },
  '/restart': {
    usage: '/restart',
    about: 'restart a stopped session and continue its conversation',
    run: onSelected(restartSession),
  },
  '/restore': {
    usage: '/restore',
    about: 'bring back the sessions that were lost in a reboot or when Screen ended',
    run: restoreLost,
  },
  '/adopt': {
    usage: '/adopt',
    about: 'take over a session that another program started',
    run: onOwn((app, { screen_id: screenId, slug: name }) =>
      app.run(async () => {
        const { slug } = await app.client.call('adoptSession', { body: { screen_id: screenId ?? '', slug: name } });
        app.toast('good', `${slug} is now one of your sessions`);
      }),
    ),
  },
  '/export': {
    usage: '/export [FORMAT [FILE]]',
    about: `save the recording as ${FORMATS.join(', ')}`,
    run: onOwn(exportRecording),
  },
  '/explain': { usage: '/explain', about: "explain the session's status", run: onOwn(explain) },
  '/file': {
    usage: '/file PATH [TEXT]',
    about: 'send the session a file, with or without a prompt',
    run: onOwn(sendFile),
  },
  '/interrupt': { usage: '/interrupt', about: 'interrupt the turn', run: onSelected(interrupt) },
  '/no': {
    usage: '/no TEXT',
    about: 'say no, and tell Claude what to do instead',
    run: (app, words) => sayNo(app, words),
  },
  '/stop': {
    usage: '/stop',
    was: '/kill',
    about: 'stop the session; delete it if it is stopped',
    run: onSelected(confirmEnd),
  },
  '/snooze': {
    usage: '/snooze [TIME|NAME]',
    about: 'silence the session until that time, or until a turn of that session ends',
    run: onOwn(snoozeByWords),
  },
  '/tag': { usage: '/tag [TAG -TAG]', about: 'add tags; remove those that start with a dash', run: onOwn(tagByWords) },
  '/view': {
    usage: '/view [NAME|save NAME|rm NAME]',
    about: 'show, save or delete a view of the list',
    run: viewByWords,
  },
  '/inbox': { usage: '/inbox', about: 'answer one question at a time', run: showInbox },
  '/archive': { usage: '/archive', about: 'hide a stopped or parked session from the list', run: onOwn(archive) },
  '/unarchive': { usage: '/unarchive NAME', about: 'list an archived session again', run: unarchive },
  '/unread': { usage: '/unread', about: 'mark the session as unread, or as read', run: onOwn(toggleUnread) },
  '/attach': { usage: '/attach', about: "open the session's real terminal", run: onSelected(attach) },
  '/changes': {
    usage: '/changes',
    about: 'show what the session changed in its repository',
    run: (app) => showChanges(app),
  },
  '/compare': {
    usage: '/compare [NAME…]',
    about: 'compare what several sessions did: changes, cost, time, tests, last words',
    run: compareByWords,
  },
  '/finish': { usage: '/finish', about: "merge or discard the session's worktree, and remove it", run: finish },
  '/set-up': {
    usage: '/set-up [skip]',
    about: "show the command that sets up the repository's worktrees, trust it, run it again or skip it",
    run: onOwn(setUpByWords),
  },
  '/replay': { usage: '/replay', about: "play the session's recording", run: onOwn(replay) },
  '/budget': {
    usage: '/budget [NAME [AMOUNT]]',
    about: 'show the budgets of sessions; with a name, raise that budget',
    run: budgetByWords,
  },
  '/resources': {
    usage: '/resources',
    about: 'show the memory and processor time of each session',
    run: showResources,
  },
  '/catchup': {
    usage: '/catchup',
    about: 'show what happened while you were away',
    run: showCatchup,
  },
  '/schedule': {
    usage: '/schedule',
    about: 'schedules: add, edit, pause, run or delete prompts that are sent at set times',
    run: showSchedules,
  },
  '/rules': {
    usage: '/rules',
    about: 'show the rules that answer permission requests for you',
    run: (app) => showRules(app),
  },
  '/audit': { usage: '/audit [NAME]', about: 'show what rules have decided', run: showAudit },
  '/draft': { usage: '/draft', was: '/stash', about: 'show the drafts: replies kept for later', run: showStash },
  '/notify': {
    usage: '/notify [test NAME]',
    about: 'show the sinks that send questions to a phone or a chat',
    run: notifyByWords,
  },
  '/mouse': {
    usage: '/mouse',
    about: 'turn the mouse off or on; while it is off, your terminal selects text as usual',
    run(app) {
      app.useMouse(!app.model.hasMouse);
      app.toast(
        'good',
        app.model.hasMouse
          ? 'the mouse is on: clicks and the wheel work here'
          : 'the mouse is off: your terminal selects text',
      );
    },
  },
  '/help': { usage: '/help', about: 'list all keys', run: showHelp },
  '/quit': { usage: '/quit', about: 'leave', run: (app) => app.quit() },
};

export const commandSet: CommandSet<App> = createCommandSet(COMMANDS);

function sayNo(app: App, words: string): void {
  if (words === '') app.toast('bad', 'No text given — /no TEXT');
  else answer(app, { choice: 'no', text: words }, `no, ${words}`);
}

function showStatus(app: App): void {
  app.run(async () => {
    const { version, uptime_ms: uptime } = await app.client.call('health');
    const other =
      version === app.options.version ? '' : `; this program is ${app.options.version} — cbos down && cbos up`;
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

/** Shows the output of `cbos explain` as a page. */
function explain(app: App, { slug }: SeenSession): void {
  app.run(async () => {
    const { said } = await app.host.runAside(['explain', slug]);
    showPage(app, `explain ${slug}`, (cols) => wrap(cleanBlock(said).trimEnd(), cols - 1));
  });
}

function exportRecording(app: App, session: SeenSession, words: string): void {
  const [format = 'asciicast', file] = words.split(/\s+/).filter((word) => word !== '');
  if (!FORMATS.includes(format)) {
    app.toast('bad', `There is no format ${format}; use ${FORMATS.join(', ')}`);
    return;
  }
  const endings: Readonly<Record<string, string>> = { asciicast: 'cast', text: 'txt', html: 'html' };
  const output = file ?? `${session.slug}.${endings[format]}`;
  app.toast('wait', `exporting to ${output}…`);
  app.run(async () => {
    const recording = await recordingFile(app, session.slug);
    const { code, said } = await app.host.runAside(['export', recording, '--format', format, '--output', output]);
    if (code === 0) app.toast('good', `written to ${output}`);
    else app.toast('bad', cleanLine(said).replace(/^cbos: /, ''));
  });
}
