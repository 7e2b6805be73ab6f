import { expect, test } from 'vitest';
import type { DeliveryStatus } from '../../src/protocol/index.ts';
import { splitMessages } from './links.ts';
import { ageFault, type FleetTorture, faultsOf, type GivenAnswer, readWitness, type SentText } from './verdict.ts';

/** A run without faults: a text of each outcome, and a question that two machines answered at once. */
function goodRun() {
  const session = 'laptop/ONE';
  const sent: SentText[] = [
    { text: 'say 1', session, told: 'done' },
    { text: 'say 2', session, told: 'refused' },
    { text: 'say 3', session, told: 'unknown' },
    { text: 'ask 4', session, told: 'done' },
    { text: 'say 5', session: 'tower/ONE', told: 'done' },
  ];
  const answers: GivenAnswer[] = [
    { text: 'ask 4', session, choice: 'yes', told: 'done' },
    { text: 'ask 4', session, choice: 'no', told: 'refused' },
  ];
  const seen = new Map([
    [session, ['prompt say 1', 'prompt say 3', 'prompt ask 4', 'answer ask 4 yes']],
    ['tower/ONE', ['prompt say 5']],
  ]);
  const journal: Record<string, DeliveryStatus> = {
    ...{ 'say 1': 'delivered', 'say 3': 'delivered', 'ask 4': 'delivered', 'say 5': 'delivered' },
  };
  return { sent, answers, seen, journal, lies: [] as string[], kills: 1 };
}
type Script = ReturnType<typeof goodRun>;

function judge(change: (run: Script) => void): string[] {
  const run = goodRun();
  change(run);
  const witness = [...run.seen].flatMap(([session, lines]) =>
    readWitness(session, lines.map((line) => JSON.stringify(seenIn(line))).join('\n')),
  );
  const torture: FleetTorture = { ...run, witness, journal: new Map(Object.entries(run.journal)) };
  return faultsOf(torture);
}

function seenIn(line: string): object {
  const [kind, verb, number, choice] = line.split(' ');
  return { kind, text: `${verb} ${number}`, ...(choice === undefined ? {} : { choice }) };
}

const at = (run: Script, session = 'laptop/ONE'): string[] => run.seen.get(session) ?? [];
const without = (run: Script, line: string): void => {
  run.seen.set(
    'laptop/ONE',
    at(run).filter((one) => one !== line),
  );
};
const told = (run: Script, text: string, what: SentText['told']): void => {
  for (const one of run.sent) if (one.text === text) one.told = what;
};

test('a run without faults has none', () => {
  expect(judge(() => undefined)).toEqual([]);
});

test.each<[string, RegExp, (run: Script) => void]>([
  ['a text that was promised and never arrived', /^lost: "say 1"/, (run) => without(run, 'prompt say 1')],
  [
    'a text that was promised and is in no journal',
    /^not in the journal: "say 1"/,
    (run) => {
      without(run, 'prompt say 1');
      delete run.journal['say 1'];
    },
  ],
  [
    'a text of unknown outcome that the journal says was delivered, and that never arrived',
    /^lost: "say 3"/,
    (run) => without(run, 'prompt say 3'),
  ],
  ['a text that arrived twice', /^doubled: "say 1"/, (run) => at(run).push('prompt say 1')],
  ['a text of unknown outcome that arrived twice', /^doubled: "say 3"/, (run) => at(run).push('prompt say 3')],
  [
    'a text that was refused and arrived',
    /^refused, and yet it arrived: "say 2"/,
    (run) => at(run).push('prompt say 2'),
  ],
  [
    'a text in the wrong session',
    /^in the wrong session: prompt of "say 5" at laptop\/ONE/,
    (run) => at(run).push('prompt say 5'),
  ],
  ['a text that nobody sent', /^in the wrong session: prompt of "say 9"/, (run) => at(run).push('prompt say 9')],
  ['a text that is still held at the end', /^still under way: "say 1"/, (run) => (run.journal['say 1'] = 'queued')],
  [
    'a text that is said to have failed and arrived',
    /^said to have failed, and yet it arrived: "say 1"/,
    (run) => (run.journal['say 1'] = 'failed'),
  ],
  [
    'more texts of unknown outcome than kills explain',
    /^1 texts are unknown after 0 kills/,
    (run) => {
      run.journal['say 1'] = 'unknown';
      run.kills = 0;
    },
  ],
  ['an answer that was accepted and never arrived', /^an answer is lost/, (run) => without(run, 'answer ask 4 yes')],
  ['an answer that arrived twice', /^answered twice/, (run) => at(run).push('answer ask 4 yes')],
  [
    'the answer of the loser',
    /^another answer counts than the one that was accepted/,
    (run) => run.seen.set('laptop/ONE', [...at(run).slice(0, -1), 'answer ask 4 no']),
  ],
  [
    'a loser who is not told',
    /^two were told that their answer counts/,
    (run) => {
      for (const answer of run.answers) answer.told = 'done';
    },
  ],
  [
    'a refused answer that counts',
    /^answered by nobody/,
    (run) => {
      for (const answer of run.answers) answer.told = 'refused';
    },
  ],
  ['a row that is older than its age', /^shows 3/, (run) => run.lies.push('shows 3')],
])('%s is found', (_, fault, change) => {
  expect(judge(change)).toContainEqual(expect.stringMatching(fault));
});

test('what nobody can know is no fault', () => {
  const faults = judge((run) => {
    // It never arrived, and the asker was told so.
    without(run, 'prompt say 3');
    delete run.journal['say 3'];
    // The owner was killed while it handed the text over.
    run.journal['say 1'] = 'unknown';
    told(run, 'say 1', 'unknown');
    for (const answer of run.answers) answer.told = 'unknown';
  });
  expect(faults).toEqual([]);
});

test('a row is a lie only if it lies beyond its age', () => {
  const written = [
    { at: 0, count: 0 },
    { at: 1_000, count: 1 },
    { at: 2_000, count: 2 },
  ];
  expect(ageFault(written, { count: 1, ageMs: 500, askedAt: 3_000 })).toMatch(/^shows 1/);
  expect(ageFault(written, { count: 1, ageMs: 1_500, askedAt: 3_000 })).toBeNull();
  expect(ageFault(written, { count: 3, ageMs: 0, askedAt: 3_000 })).toBeNull();
});

test('a link tells the messages of NATS from everything else, however they are cut', () => {
  const all = 'PING\r\nPUB a b 5\r\nhe\r\no\r\nHMSG a 1 4 6\r\nheadit\r\nSUB a 1\r\n';
  for (let cut = 0; cut <= all.length; cut++) {
    const first = splitMessages(Buffer.from(all.slice(0, cut)));
    const second = splitMessages(Buffer.concat([first.rest, Buffer.from(all.slice(cut))]));
    const pieces = [...first.pieces, ...second.pieces];
    expect(pieces.map(({ piece, isMessage }) => [piece.toString(), isMessage])).toEqual([
      ['PING\r\n', false],
      ['PUB a b 5\r\nhe\r\no\r\n', true],
      ['HMSG a 1 4 6\r\nheadit\r\n', true],
      ['SUB a 1\r\n', false],
    ]);
  }
});
