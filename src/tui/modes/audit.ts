import { createAuditReader } from '../../client/index.ts';
import type { AuditEntry, AuditRecord } from '../../protocol/index.ts';
import { truncate } from '../../text/display-width.ts';
import { formatDateTime, formatSince } from '../../text/durations.ts';
import { DECIDED_WORDS, decidedCall, OUTCOME_WORDS, ruleAbout } from '../../text/rule-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { toolInputLines } from '../../text/tool-input-text.ts';
import type { App } from '../app.ts';
import { createList } from '../list.ts';
import { replayFrom } from '../replay.ts';
import { wrap } from '../view/cells.ts';
import { listRow } from '../view/dress.ts';
import { type Binding, keysOf, leavingBy, movingBy, onChosen } from './binding.ts';
import { showPage } from './text-page.ts';

/** The next page is requested when the selection is this many rows above the last known row. */
const AHEAD = 20;

/**
 * Runs `/audit [NAME]`, which shows the decisions that rules have made, newest first. @param words the name of one
 * session, or empty for all sessions
 */
export function showAudit(app: App, words: string): void {
  const session = words === '' ? null : words;
  const reader = createAuditReader({
    client: app.client,
    session,
    startTimer: app.options.startTimer,
    onChange: () => app.changed(),
    onError: (error) => app.run(() => Promise.reject(error)),
  });
  const entries = (): readonly AuditEntry[] => reader.view().entries;
  const list = createList({ items: entries, keyOf: ({ id }) => id, isCentred: true, staysAtTop: true });
  const leave = (): void => {
    reader.dispose();
    app.close();
  };
  const open = ({ id }: AuditEntry): void =>
    app.run(async () => {
      const record = await app.client.call('auditRecord', { params: { id: String(id) } });
      showDecision(app, record, show);
    });
  const move = (key: string): void => {
    list.onKey(key);
    if (list.at() + AHEAD >= entries().length) reader.older();
  };
  const rows: Binding[] = [
    movingBy(move, () => (entries().length === 0 ? null : 'choose')),
    onChosen(list, 'No rule has decided anything')(['enter'], 'show all of it', open),
    leavingBy(leave),
  ];
  const show = (): void => {
    app.open({
      ...keysOf(app, rows),
      onFrame: ({ type }) => {
        if (type === 'rule_decided' || type === 'sessions') reader.note();
      },
      page(cols, height) {
        const title = session === null ? 'Audit' : `Audit of ${cleanLine(session)}`;
        if (entries().length === 0) {
          return { title, rows: ['', `   ${reader.view().isRead ? 'No rule has decided anything' : '…'}`] };
        }
        const lines = list.show(height, (entry, isChosen) => [row(app, entry, { cols, isChosen })]);
        return { title: `${title}: ${list.position()}${reader.view().hasMore ? '+' : ''}`, rows: lines };
      },
    });
    // Rules may have made new decisions while this one was shown.
    reader.note();
  };
  show();
}

function row({ dress, options }: App, entry: AuditEntry, of: { cols: number; isChosen: boolean }): string {
  const age = formatSince(entry.at, options.now()).padStart(7);
  const word = (DECIDED_WORDS[entry.decision] ?? cleanLine(entry.decision)).padEnd(7);
  const name = cleanLine(entry.listed ?? entry.session);
  const text = truncate(`${age}  ${word}  ${name}  ${decidedCall(entry)}`, of.cols - 3);
  return listRow(dress, text, { isChosen: of.isChosen });
}

/** Shows one decision with its complete input. `p` plays the recording from that point. */
function showDecision(app: App, record: AuditRecord, onLeave: () => void): void {
  const { session, listed, recording, offset, tool, input, rules, at, outcome, decision, id } = record;
  const lines = [
    '',
    `${DECIDED_WORDS[decision] ?? decision} in ${session}, ${formatDateTime(Date.parse(at))}, number ${id}`,
    `reply: ${OUTCOME_WORDS[outcome] ?? outcome}`,
    ...rules.map((rule) => `rule ${rule.id}: ${rule.effect} ${ruleAbout(rule)}`),
    '',
  ].map(cleanLine);
  const text = [...lines, cleanLine(tool), ...toolInputLines(input).map((line) => `  ${line}`)].join('\n');
  /** the wrapped lines, cached by width, because an input may be as long as a file */
  let wrapped: { cols: number; rows: string[] } | null = null;
  const place = listed !== null && recording !== null && offset !== null ? { listed, recording, offset } : null;
  showPage(
    app,
    `Decision ${id}`,
    (cols) => {
      if (wrapped?.cols !== cols) wrapped = { cols, rows: wrap(text, cols - 2).map((line) => ` ${line}`) };
      return wrapped.rows;
    },
    {
      onLeave,
      keys: [
        {
          keys: ['p'],
          does: 'play from there',
          disabled: () => (place === null ? 'No recording shows this decision' : null),
          run: () => place !== null && play(app, place),
        },
      ],
    },
  );
}

interface RecordedPlace {
  listed: string;
  recording: string;
  offset: number;
}

/** Plays a recording from a place in it. */
function play(app: App, { listed, recording, offset }: RecordedPlace): void {
  app.run(async () => {
    const query = { offset, ...(recording === listed ? {} : { recording }) };
    const { t } = await app.client.call('replayFrame', { params: { slug: listed }, query });
    replayFrom(app, { slug: listed, recording, seconds: t });
  });
}
