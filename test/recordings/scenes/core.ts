import { isAtLeast } from '../../../src/platform/claude/index.ts';
import { KEYS, type RecordedScene, type Stage } from '../scene.ts';
import { answer, bash, failure, lines, slowly, text, thinking, tool } from './replies.ts';

/** Returns a play of one turn that ends on its own. */
export const turn =
  (name: string): ((stage: Stage) => Promise<void>) =>
  async (stage) => {
    await stage.ready();
    await stage.prompt(`Please go on with scene:${name}`);
    await stage.heard('end', { timeoutMs: 60_000 });
    await stage.settle();
  };

const REASONING = thinking(
  lines(8, (n) => `Consideration ${n}: the cause may lie in module ${n}.`),
  150,
);
const LONG_ANSWER = text(
  lines(60, (n) => `${n}. This is line ${n} of a long answer.`),
  60,
);

const TOUCH = bash('touch ../marker.txt', 'Create the marker file');
const PERMISSION = [
  slowly(text('I will write the marker file.'), TOUCH),
  slowly(text('The marker file is there now.')),
];

const DATABASE = {
  questions: [
    {
      question: 'Which database shall the service use?',
      header: 'Database',
      multiSelect: false,
      options: [
        { label: 'SQLite', description: 'A file, nothing to install' },
        { label: 'PostgreSQL', description: 'A server, for many writers' },
        { label: 'None', description: 'Keep everything in memory' },
      ],
    },
  ],
};

const PLAN = `# Add a health check

1. Add \`GET /health\` to the server
2. Answer with the version and the uptime
3. Cover it with a test`;

/** Scenes that every version can run. Comparing them shows what a version changed. */
export const CORE_SCENES: Readonly<Record<string, RecordedScene>> = {
  hello: {
    about: 'a short answer',
    replies: { hello: [slowly(text('Hello! I have read the project and I am ready when you are.'))] },
    play: turn('hello'),
  },
  think: {
    about: 'reasoning, then an answer',
    replies: { think: [slowly(REASONING, text('It is module 7, as far as I can see.'))] },
    play: turn('think'),
  },
  'think-long': {
    about: 'reasoning, then a long answer',
    replies: { 'think-long': [slowly(REASONING, LONG_ANSWER)] },
    play: turn('think-long'),
  },
  long: {
    about: 'a long answer',
    replies: { long: [answer(LONG_ANSWER)] },
    play: turn('long'),
  },
  permission: {
    about: 'a shell command that needs a permission, which is given',
    replies: { bash: PERMISSION },
    asks: { Bash: 'permission' },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:bash');
      await stage.heard('tool');
      await stage.rest(6_000);
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
  deny: {
    about: 'a shell command that needs a permission, dismissed with Esc',
    replies: { bash: PERMISSION },
    asks: { Bash: 'permission' },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:bash');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'denied with Esc');
      await stage.settle();
    },
  },
  write: {
    about: 'a new file that needs a permission',
    replies: {
      write: [
        slowly(
          text('I will write the notes.'),
          tool('Write', { file_path: 'notes.md', content: '# Notes\n\nFirst note.\n' }),
        ),
        slowly(text('The notes are written.')),
      ],
    },
    asks: { Write: 'permission' },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:write');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
  ask: {
    about: 'a question with three options',
    replies: { ask: [slowly(tool('AskUserQuestion', DATABASE)), slowly(text('Good, I will use that one.'))] },
    asks: { AskUserQuestion: 'question' },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:ask');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.answer('2', 'answered');
      await stage.heard('end');
      await stage.settle();
    },
  },
  plan: {
    about: 'a plan that needs approval, dismissed with Esc',
    args: ['--permission-mode', 'plan'],
    replies: {
      // Since 2.1 the plan is in a file. Only the version itself reports the name of that file.
      plan: [
        slowly(text('Here is my plan.'), tool('ExitPlanMode', { plan: PLAN })),
        slowly(text('The health check is in place.')),
      ],
      'plan-file': [
        slowly(text('I will write the plan.'), tool('Write', { file_path: '{plan_file}', content: PLAN })),
        slowly(text('Here is my plan.'), tool('ExitPlanMode', { plan: PLAN })),
        slowly(text('The health check is in place.')),
      ],
    },
    asks: { ExitPlanMode: 'plan' },
    play: async (stage) => {
      const hasFile = isAtLeast(stage.version, '2.0.77');
      await stage.ready();
      await stage.prompt(`Please go on with scene:${hasFile ? 'plan-file' : 'plan'}`);
      if (hasFile) await stage.heard('tool');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'plan rejected');
      await stage.settle();
    },
  },
  interrupt: {
    about: 'a turn that is stopped with Esc before its answer',
    replies: { slow: [{ kind: 'answer', firstByteDelayMs: 60_000, blocks: [text('At last.')] }] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(4_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'interrupted with Esc');
      await stage.settle();
    },
  },
  fail: {
    about: 'a request that the service refuses',
    replies: { fail: [failure(400, 'invalid_request_error', 'The scene refuses this request')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:fail');
      await stage.heard('failed');
      await stage.settle();
    },
  },
  query: {
    about: 'a turn that ends with a question in words',
    replies: {
      query: [
        slowly(text('The endpoint is in place and answers with the version.\n\nShould I also add a test for it?')),
      ],
    },
    endsWithQuestion: true,
    play: turn('query'),
  },
  errtext: {
    about: 'an answer that mentions errors but is not one',
    replies: {
      errtext: [slowly(text('API Error: 500 is what the log says. It came from the proxy, not from us.'))],
    },
    play: turn('errtext'),
  },
  exit: {
    about: 'the user ends it with /exit',
    play: async (stage) => {
      await stage.ready();
      await stage.rest(2_000);
      await stage.prompt('/exit');
      await stage.exited();
    },
  },
  trust: {
    about: 'the trust dialog',
    without: 'trust',
    play: async (stage) => {
      await stage.ready('waiting');
      await stage.rest(4_000);
    },
  },
  queued: {
    about: 'a second prompt while the first is being answered',
    replies: {
      first: [
        { kind: 'answer', firstByteDelayMs: 9_000, blocks: [text('This was the first one, and it took me a while.')] },
      ],
      second: [slowly(text('And this was the second one, which had to wait.'))],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:first');
      await stage.heard('request');
      await stage.rest(3_000);
      await stage.prompt('And then scene:second please');
      await stage.heard('end');
      await stage.heard('end');
      await stage.settle();
    },
  },
};
