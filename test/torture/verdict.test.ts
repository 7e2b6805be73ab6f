import { expect, test } from 'vitest';
import { statusOf } from '../../src/core/delivery/record.ts';
import type { DeliveryPhase, Question } from '../../src/protocol/index.ts';
import type { TimedApiEvent } from '../harness/claude.ts';
import { newLedger } from './client.ts';
import { areTooMany, type FinalDelivery, faultsOf, type Span, type Torture } from './verdict.ts';
import { createWitness } from './witness.ts';

type Message = Extract<TimedApiEvent, { kind: 'request' }>['body']['messages'][number];

const T0 = 1_800_000_000_000;
const textOf = (mark: string): string => `‹${mark}› play:hello please`;
const said = (mark: string): Message => ({ role: 'user', content: [{ type: 'text', text: textOf(mark) }] });
const REPLY: Message = { role: 'assistant', content: [{ type: 'text', text: 'Hello!' }] };
const called = (id: string, name: string, input: unknown): Message => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input }],
});
const result = (id: string, text: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: text }],
});

const TOUCH = { command: 'touch ../granted-S0.c1.2', description: 'Create it' };
const REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const ASK = { questions: [{ question: 'Which letter?', header: 'Letter', options: [] }] };

/** A run without faults: four texts, a yes to a command, an answer to a question, and an interrupt long before them. */
interface Script {
  messages: Message[];
  /** the delivery phases, by mark */
  finals: Record<string, DeliveryPhase>;
  granted: string[];
  answers: {
    id: string;
    tool: { name: string; input: unknown } | null;
    text?: string;
    choice: string;
    result: string;
  }[];
  interruptedAt: number[];
  /** the session that is interrupted */
  interrupted: string;
  kills: number;
  enqueued: string[];
  queued: string[];
  /** the marks of texts that a killed server left without an answer */
  unanswered: string[];
  /** the phases that the journal had, by mark */
  phases: Record<string, FinalDelivery['phases']>;
  killedAt: number[];
  /** when the queue of S0 was paused */
  pauses: Span[];
}

const MARKS = ['S0.c1.1', 'S0.c1.2', 'S0.c1.3', 'S0.c2.1'] as const;

function goodRun(): Script {
  return {
    messages: [
      said('S0.c1.1'),
      REPLY,
      said('S0.c1.2'),
      called('t1', 'Bash', TOUCH),
      result('t1', ''),
      said('S0.c1.3'),
      called('t2', 'AskUserQuestion', ASK),
      result('t2', 'Your questions have been answered: "Which letter?"="Alpha".'),
      said('S0.c2.1'),
    ],
    finals: Object.fromEntries(MARKS.map((mark) => [mark, 'taken' as const])),
    granted: ['granted-S0.c1.2'],
    answers: [
      { id: 'q1', tool: { name: 'Bash', input: { ...TOUCH, timeout: 1 } }, choice: 'yes', result: 'answered' },
      { id: 'q2', tool: { name: 'AskUserQuestion', input: ASK }, choice: 'Alpha', result: 'answered' },
    ],
    interruptedAt: [],
    interrupted: 'S0',
    kills: 0,
    enqueued: [],
    queued: [],
    unanswered: [],
    phases: {},
    killedAt: [],
    pauses: [],
  };
}

function judge(script: Script): string[] {
  const witness = createWitness();
  const ledger = newLedger();
  const finals = new Map<string, FinalDelivery>();
  for (const mark of MARKS) {
    const text = textOf(mark);
    witness.announce(mark, text);
    const [session = '', sender = ''] = mark.split('.');
    const phase = script.finals[mark] ?? 'taken';
    ledger.texts.push({
      mark,
      session,
      sender,
      text,
      queue: false,
      answer: script.unanswered.includes(mark) ? null : { id: mark, status: statusOf({ phase }) },
      from: T0,
      to: T0,
    });
    const intoQueue = script.queued.includes(mark);
    finals.set(text, { id: mark, at: T0, phase, intoQueue, held: false, phases: script.phases[mark] ?? [] });
  }
  ledger.killedAt = script.killedAt;
  ledger.answers = script.answers.map(({ id, tool, text = '', choice, result: became }) => ({
    session: 'S0',
    question: { id, kind: 'permission', text, tool } as unknown as Question,
    choice,
    result: became,
    from: T0,
    to: T0,
  }));
  ledger.interrupts = script.interruptedAt.map((at) => ({
    session: script.interrupted,
    from: at,
    to: at + 100,
    result: 'interrupted',
  }));
  // Each request contains the conversation so far, as the requests of Claude Code do.
  for (const [index, message] of script.messages.entries()) {
    if (message.role !== 'user') continue;
    const body = { model: 'm', stream: true, tools: [], messages: script.messages.slice(0, index + 1) };
    witness.see({ kind: 'request', request: index, scene: 'play', step: 0, prompt: '', body, at: T0 + index });
  }
  const torture: Torture = {
    ledger,
    witness,
    granted: new Set(script.granted),
    enqueued: new Set(script.enqueued),
    kills: script.kills,
    finals,
    pauses: new Map([['S0', script.pauses]]),
  };
  return faultsOf(torture);
}

test('a run in which all went well has no faults', () => {
  expect(judge(goodRun())).toEqual([]);
});

const swap = (script: Script, a: number, b: number): void => {
  const [one, other] = [script.messages[a], script.messages[b]];
  if (one === undefined || other === undefined) throw new Error('no such message');
  script.messages[a] = other;
  script.messages[b] = one;
};

test.each<[string, (script: Script) => void, RegExp]>([
  ['a lost text', ({ messages }) => messages.splice(0, 1), /^lost: S0\.c1\.1/],
  [
    'a lost text, an interrupt long after',
    (run) => {
      run.messages.splice(0, 1);
      run.interruptedAt.push(T0 + 10_000);
    },
    /^lost: S0\.c1\.1/,
  ],
  [
    'two lost texts, one interrupt',
    (run) => {
      run.messages.splice(0, 3);
      run.interruptedAt.push(T0);
    },
    /^lost: S0\.c1\.2/,
  ],
  ['a doubled text', ({ messages }) => messages.push(said('S0.c1.1')), /^doubled: S0\.c1\.1/],
  [
    'a text that returns after it was gone',
    ({ messages }) => {
      // A rewound conversation. The first text is missing from it, and then it is back.
      const [first] = messages.splice(0, 1);
      if (first !== undefined) messages.push(first);
      messages.unshift(said('S0.c1.1'));
    },
    /^doubled: S0\.c1\.1/,
  ],
  [
    'an altered text',
    ({ messages }) => {
      messages[0] = { role: 'user', content: textOf('S0.c1.1').replace('please', 'pleas') };
    },
    /^altered/,
  ],
  [
    'an extra letter next to a text',
    ({ messages }) => {
      messages[0] = { role: 'user', content: `x${textOf('S0.c1.1')}` };
    },
    /^altered/,
  ],
  [
    'a text in another session',
    ({ messages }) => {
      messages.push({ role: 'user', content: '‹S1.c1.1› play:hello please' });
    },
    /^in another session/,
  ],
  ['a broken order', (run) => swap(run, 0, 5), /^out of order/],
  ['a permission granted by accident', (run) => run.answers.shift(), /^granted by accident: granted-S0\.c1\.2/],
  [
    'a permission granted although the answer was no',
    ({ answers: [first] }) => {
      if (first !== undefined) first.choice = 'no';
    },
    /^granted/,
  ],
  [
    'a permission that was not granted although the answer was yes',
    (run) => {
      run.granted = [];
    },
    /^yes was accepted, but not granted/,
  ],
  ['an option that nobody chose', (run) => run.answers.pop(), /^told the model Alpha, which nobody answered/],
  [
    'an option other than the chosen one',
    ({ answers }) => {
      const last = answers.at(-1);
      if (last !== undefined) last.choice = 'Beta';
    },
    /^(?:told the model Alpha|answered Beta)/,
  ],
  [
    'a text in the wrong dialog',
    ({ messages, finals }) => {
      // The text was taken as the free text of the question, and never came as a prompt.
      messages[7] = result('t2', `Your questions have been answered: "Which letter?"="${textOf('S0.c2.1')}".`);
      messages.pop();
      finals['S0.c2.1'] = 'entering';
    },
    /^told the model/,
  ],
  [
    'a dialog that nobody dismissed',
    (run) => {
      run.messages[4] = result('t1', REFUSAL);
      run.granted = [];
      run.answers.shift();
    },
    /^dismissed by nobody/,
  ],
  [
    'a text that was refused but arrived',
    (run) => {
      run.finals['S0.c1.1'] = 'failed';
    },
    /^said to have failed/,
  ],
  [
    'a text that is held forever',
    (run) => {
      run.finals['S0.c1.1'] = 'held';
    },
    /^held at the end/,
  ],
  [
    'a text whose fate is unknown without a crash',
    (run) => {
      run.finals['S0.c1.1'] = 'no_sign';
    },
    /^1 unknown after 0 kills/,
  ],
  [
    'a text that was taken out of the prompt but arrived',
    (run) => {
      run.finals['S0.c1.1'] = 'cleared';
    },
    /^said to have failed/,
  ],
  [
    'a text that is lost and never confirmed',
    (run) => {
      run.finals['S0.c1.1'] = 'entering';
      run.messages.splice(0, 1);
    },
    /^never confirmed/,
  ],
  [
    'two answers to one question',
    (run) => {
      const [first] = run.answers;
      if (first !== undefined) run.answers.push({ ...first });
    },
    /^answered twice/,
  ],
])('%s is found', (_, plant, fault) => {
  const run = goodRun();
  plant(run);
  expect(judge(run)).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
});

test('a dialog that was answered before its hook reported the call is known by its text', () => {
  const run = goodRun();
  const [yes] = run.answers;
  if (yes === undefined) throw new Error('there is no answer');
  run.answers[0] = { ...yes, tool: null, text: `Bash command\n${TOUCH.command}\nDo you want to proceed?` };
  expect(judge(run)).toEqual([]);
  run.answers[0] = { ...yes, tool: null, text: 'Bash command\nrm -rf .\nDo you want to proceed?' };
  expect(judge(run)).toEqual([expect.stringMatching(/^granted by accident/)]);
});

test('a text that Claude Code itself took past its queue is not a fault, another one is', () => {
  const run = goodRun();
  swap(run, 0, 5);
  run.queued = ['S0.c1.3'];
  run.enqueued = ['S0.c1.1', 'S0.c1.2'];
  const faults = judge(run);
  expect(faults.filter((fault) => fault.includes('S0.c1.3 came before'))).toEqual([]);
  run.enqueued.push('S0.c1.3');
  expect(judge(run)).toContainEqual(expect.stringContaining('S0.c1.3 came before'));
});

const phasesOf = (...phases: [DeliveryPhase, number][]): FinalDelivery['phases'] =>
  phases.map(([phase, ms]) => ({ phase, at: T0 + ms }));
const PASSED = expect.stringContaining('S0.c1.3 came before S0.c1.1');

/** A kill leaves the first and the third text unanswered, and the third one arrives first. */
function passingRun(first: FinalDelivery['phases']): Script {
  const run = goodRun();
  swap(run, 0, 5);
  run.kills = 2;
  run.killedAt = [T0 + 20, T0 + 120];
  run.unanswered = ['S0.c1.1', 'S0.c1.3'];
  run.phases['S0.c1.1'] = first;
  run.phases['S0.c1.3'] = phasesOf(['held', 100], ['typing', 101], ['entering', 110], ['looking', 121], ['taken', 122]);
  return run;
}
const passed = (run: Script): string[] => judge(run).filter((fault) => fault.includes('S0.c1.3 came before S0.c1.1'));

test('a text that a killed server left unanswered and untyped may be passed: the next one holds it', () => {
  const run = passingRun(phasesOf(['held', 10], ['typing', 200], ['entering', 201], ['taken', 202]));
  expect(passed(run)).toEqual([]);
  // If no server was killed in between, it was typed at once. If it was typed before the third, it keeps its order.
  run.killedAt = [T0 + 5];
  run.phases['S0.c1.1'] = phasesOf(['held', 10], ['typing', 11], ['entering', 12], ['taken', 13]);
  expect(passed(run)).toEqual([PASSED]);
});

test('a text that was in the prompt of a killed server may pass a held one, but not if it is typed again', () => {
  const run = passingRun(phasesOf(['held', 10], ['typing', 200], ['entering', 201], ['taken', 202]));
  run.phases['S0.c1.3'] = phasesOf(['held', 100], ['typing', 101], ['resumed', 121], ['entering', 130], ['taken', 131]);
  expect(passed(run)).toEqual([]);
  run.phases['S0.c1.3'] = phasesOf(['held', 100], ['typing', 101], ['resumed', 121], ['typing', 130], ['taken', 131]);
  expect(passed(run)).toEqual([PASSED]);
});

test('a text that came back may be passed only while the queue is paused', () => {
  const run = passingRun(phasesOf(['held', 10], ['typing', 11], ['resumed', 21], ['typing', 200], ['taken', 202]));
  expect(passed(run)).toEqual([PASSED]);
  run.pauses = [{ from: T0 + 90, to: T0 + 150 }];
  expect(passed(run)).toEqual([]);
  run.pauses = [{ from: T0 + 102, to: T0 + 150 }];
  expect(passed(run)).toEqual([PASSED]);
});

test('a held text does not pass an earlier held one, whoever answered', () => {
  const run = passingRun(phasesOf(['held', 10], ['typing', 200], ['entering', 201], ['taken', 202]));
  run.pauses = [{ from: T0, to: T0 + 300 }];
  run.phases['S0.c1.3'] = phasesOf(['held', 100], ['typing', 130], ['entering', 131], ['taken', 132]);
  expect(passed(run)).toEqual([PASSED]);
  run.unanswered = ['S0.c1.1'];
  run.finals['S0.c1.3'] = 'held';
  expect(passed(run)).toEqual([PASSED]);
});

test('only few texts may be reported as never shown in the prompt', () => {
  const run = goodRun();
  run.finals['S0.c1.1'] = 'never_shown';
  expect(judge(run)).toEqual([expect.stringContaining('1 of 4 texts never showed')]);
});

test.each([
  [1, 4, true],
  [1, 93, false],
  [2, 93, true],
  [6, 2_000, false],
  [7, 2_000, true],
])('%i of %i texts that were never shown are too many: %s', (neverShown, texts, tooMany) => {
  expect(areTooMany(neverShown, texts)).toBe(tooMany);
});

/** Claude Code rejects the command and the question, although both answers were accepted. */
const refuseBoth = (run: Script, said = REFUSAL): void => {
  run.messages[4] = result('t1', said);
  run.messages[7] = result('t2', REFUSAL);
  run.granted = [];
};
const NOT_GRANTED = expect.stringMatching(/^yes was accepted, but not granted/);
const NOT_TOLD = expect.stringMatching(/^answered Alpha, but the model was told: The user doesn't want/);

test('each interrupt that comes after an accepted answer may stop one call that the answer allowed', () => {
  const run = goodRun();
  refuseBoth(run);
  run.interruptedAt.push(T0 + 2, T0 + 6);
  expect(judge(run)).toEqual([]);
  run.granted = ['granted-S0.c1.2'];
  expect(judge(run)).toEqual([]);
});

test('so may the result of a call be missing, but only after such an interrupt', () => {
  const run = goodRun();
  refuseBoth(run, '[Tool result missing due to internal error]');
  expect(judge(run)).toEqual(expect.arrayContaining([NOT_GRANTED]));
  run.interruptedAt.push(T0 + 2, T0 + 6);
  expect(judge(run)).toEqual([]);
});

test.each<[string, (run: Script) => void]>([
  ['no interrupt', () => undefined],
  ['an interrupt that ended before the answers', (run) => run.interruptedAt.push(T0 - 101)],
  ['an interrupt after the results', (run) => run.interruptedAt.push(T0 + 9)],
  [
    'an interrupt of another session',
    (run) => {
      run.interruptedAt.push(T0 + 2, T0 + 6);
      run.interrupted = 'S1';
    },
  ],
])('%s does not explain why what was allowed did not happen', (_, plant) => {
  const run = goodRun();
  refuseBoth(run);
  plant(run);
  expect(judge(run)).toEqual(expect.arrayContaining([NOT_GRANTED, NOT_TOLD]));
});

test('one interrupt does not explain two calls', () => {
  const run = goodRun();
  refuseBoth(run);
  run.interruptedAt.push(T0 + 2);
  expect(judge(run)).toEqual(expect.arrayContaining([NOT_TOLD]));
});

test('one interrupt takes all the texts of its turn, if they came out of the queue and are reported as such', () => {
  const run = goodRun();
  run.messages.splice(0, 3);
  run.granted = [];
  run.answers.shift();
  run.messages.splice(0, 2);
  run.interruptedAt.push(T0);
  run.enqueued = ['S0.c1.1', 'S0.c1.2'];
  for (const mark of run.enqueued) run.finals[mark] = 'interrupted';
  expect(judge(run)).toEqual([]);
  run.finals['S0.c1.2'] = 'taken';
  expect(judge(run)).toEqual([expect.stringMatching(/^lost: S0\.c1\.2/)]);
});
