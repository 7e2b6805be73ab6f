import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayRecording } from '../src/platform/recorder/index.ts';
import type { AuditEntry } from '../src/protocol/index.ts';
import { replyWith, runs, sceneOf, startAnswering } from '../test/harness/answering.ts';
import { measure as measureDecisions } from './decide.bench.ts';
import { type Figure, median } from './figures.mjs';
import { startSession } from './one-session.ts';

export const about =
  'a real Claude Code in a terminal asks for 100 commands, one after another, that an allow rule covers; how long its recording shows each dialog to a person, and how long a decision takes without Claude Code';

const CALLS = 100;
const TURN_MS = 300_000;
/** The question in a permission dialog (2.1). */
const DIALOG = /Do you want to proceed\?/;

export async function measure(): Promise<Figure[]> {
  const calls = Array.from({ length: CALLS }, (_, number) => replyWith(runs(`sh ./count.sh call${number}`)));
  const scene = sceneOf('covered', ...calls, replyWith({ kind: 'text', text: 'Done.' }));
  const { world, cbos } = await startAnswering({
    choosers: [(prompt) => (prompt.includes('covered') ? scene : null)],
  });
  try {
    const ran = join(world.dir, 'ran');
    writeFileSync(join(world.projectDir, 'count.sh'), `echo "$1" >> ${ran}\n`);
    writeFileSync(join(world.cbosHome, 'rules.toml'), '[[allow]]\ncommand = "sh ./count.sh *"\n');
    await startSession(cbos, world, 'S');
    const watcher = await cbos.watch();
    await cbos.call('POST', '/sessions/S/send', { text: 'covered' });
    await cbos.until('S', ({ status }) => status.because.evidence.includes('Done.'), 'has run all of it', TURN_MS);
    const told = watcher.statuses('S').filter((status) => status.startsWith('waiting')).length;
    watcher.close();
    const lines = readFileSync(ran, 'utf8').trimEnd().split('\n');
    const { body: audit } = await cbos.call<AuditEntry[]>('GET', '/audit?limit=1000');
    const shownMs = await dialogTimes(join(world.streamDir, 'S'));
    return [
      { name: 'commands that ran', value: lines.length, unit: `of ${CALLS}` },
      { name: 'commands that ran twice', value: lines.length - new Set(lines).size, unit: '', limit: 0 },
      { name: 'decisions in the audit', value: audit.length, unit: '' },
      { name: 'times that a face was notified of a question', value: told, unit: '', limit: 0 },
      { name: 'dialogs that the recording shows', value: shownMs.length, unit: '' },
      { name: 'how long one is shown, median', value: median(shownMs.length === 0 ? [0] : shownMs), unit: 'ms' },
      { name: 'the longest of them', value: Math.max(0, ...shownMs), unit: 'ms', limit: 150 },
      ...(await measureDecisions()),
    ];
  } finally {
    await world.dispose();
  }
}

/** How long each dialog stays on the screen in a recording, in milliseconds. */
async function dialogTimes(recording: string): Promise<number[]> {
  const times: number[] = [];
  let since: number | null = null;
  await replayRecording({
    ...{ typescript: `${recording}.typescript`, timing: `${recording}.timing`, cols: null, rows: null },
    onFrame: (frame, at) => {
      const isShown = DIALOG.test(frame.lines.join('\n'));
      if (isShown && since === null) since = at;
      if (isShown || since === null) return;
      times.push(at - since);
      since = null;
    },
  });
  return times;
}
