import type { Block, Reply, Scene } from './scene.ts';

const say = (text: string, chunkDelayMs?: number): Block =>
  chunkDelayMs === undefined ? { kind: 'text', text } : { kind: 'text', text, chunkDelayMs };
const think = (text: string, chunkDelayMs?: number): Block =>
  chunkDelayMs === undefined ? { kind: 'thinking', text } : { kind: 'thinking', text, chunkDelayMs };
const use = (name: string, input: Record<string, unknown>): Block => ({ kind: 'tool', name, input });
const answer = (...blocks: Block[]): Reply => ({ kind: 'answer', firstByteDelayMs: 300, blocks });

/** Returns `count` numbered lines, for answers that must take a while. */
function lines(count: number, line: (n: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');
}

/**
 * Strings that look like dialogs, spinners, and error lines. When they appear in an answer, CBOS must not mistake them
 * for the real thing.
 */
const TREACHEROUS_TEXT = `Here is the script:

\`\`\`sh
read -p "Do you want to proceed? (y/n) " reply
echo "Error: the connection was refused"
echo "esc to interrupt"
\`\`\`

1. Yes
2. No, and tell Claude what to do differently (esc)

✻ Thinking… (3s · ↓ 20 tokens)

That is all of it.`;

const ASK_ONE = {
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

const ASK_SEVERAL = {
  questions: [
    {
      question: 'Which language shall the client be in?',
      header: 'Language',
      multiSelect: false,
      options: [
        { label: 'TypeScript', description: 'As the server' },
        { label: 'Go', description: 'One binary' },
      ],
    },
    {
      question: 'Which platforms matter?',
      header: 'Platforms',
      multiSelect: true,
      options: [
        { label: 'Linux', description: 'Servers' },
        { label: 'macOS', description: 'Laptops' },
        { label: 'Windows', description: 'The rest' },
      ],
    },
  ],
};

/**
 * The time at which the account's limits reset, in Unix seconds. It is too far in the future to come while a scene
 * plays.
 */
const LIMITS_RESET_AT = Date.UTC(2100, 0, 1) / 1_000;

/** Returns the headers in which the real service reports a subscription's limits, as Claude Code 2.1.329 reads them. */
function limits({ status, used }: { status: 'allowed' | 'rejected'; used: number }): Record<string, string> {
  const prefix = 'anthropic-ratelimit-unified';
  return {
    [`${prefix}-status`]: status,
    [`${prefix}-reset`]: String(LIMITS_RESET_AT),
    [`${prefix}-representative-claim`]: 'five_hour',
    [`${prefix}-5h-status`]: status === 'allowed' ? 'allowed_warning' : status,
    [`${prefix}-5h-utilization`]: String(used),
    [`${prefix}-5h-reset`]: String(LIMITS_RESET_AT),
    [`${prefix}-5h-surpassed-threshold`]: '0.9',
  };
}

const PLAN = `# Add a health check

1. Add \`GET /health\` to the server
2. Answer with the version and the uptime
3. Cover it with a test`;

/** All scenes by name. A prompt selects a scene with `scene:NAME` in its text; see `chooseScene`. */
export const SCENES = {
  hello: {
    about: 'a short answer',
    replies: [answer(say('Hello! I am ready when you are.'))],
  },
  think: {
    about: 'two seconds of reasoning, then an answer',
    replies: [
      answer(
        think(
          lines(12, (n) => `Consideration ${n}: the cause may lie in module ${n}.`),
          40,
        ),
        say('It is module 7.'),
      ),
    ],
  },
  slow: {
    about: 'nothing for five seconds, then an answer',
    replies: [{ kind: 'answer', firstByteDelayMs: 5_000, blocks: [say('Sorry that it took so long.')] }],
  },
  long: {
    about: 'an answer that is written for about a minute',
    replies: [
      answer(
        say(
          lines(150, (n) => `${n}. This is line ${n} of a long answer.`),
          40,
        ),
      ),
    ],
  },
  silent: {
    about: 'a request that is never answered',
    replies: [{ kind: 'answer', firstByteDelayMs: 3_600_000, blocks: [say('At last.')] }],
  },
  treacherous: {
    about: 'an answer that contains what dialogs, spinners and errors look like',
    replies: [answer(say(TREACHEROUS_TEXT))],
  },
  permission: {
    about: 'a shell command that needs permission',
    replies: [
      answer(
        say('I will write the marker file.'),
        use('Bash', { command: 'touch ../marker.txt', description: 'Create the marker file' }),
      ),
      answer(say('The marker file is there.')),
    ],
  },
  'permission-twice': {
    about: 'two shell commands, one after the other, that each need permission',
    replies: [
      answer(use('Bash', { command: 'touch ../first.txt', description: 'Create the first file' })),
      answer(use('Bash', { command: 'touch ../second.txt', description: 'Create the second file' })),
      answer(say('Both files are there.')),
    ],
  },
  write: {
    about: 'a new file that needs permission',
    replies: [
      answer(
        say('I will write the notes.'),
        use('Write', { file_path: 'notes.md', content: '# Notes\n\nFirst note.\n' }),
      ),
      answer(say('The notes are written.')),
    ],
  },
  read: {
    about: 'a file that is read without asking',
    replies: [
      answer(say('Let me look.'), use('Read', { file_path: 'README.md' })),
      answer(say('It is a small example project.')),
    ],
  },
  tools: {
    about: 'a shell command that takes about three seconds and needs no permission',
    replies: [
      answer(say('I will run the checks.'), use('Bash', { command: './check.sh', description: 'Run the checks' })),
      answer(say('All checks passed.')),
    ],
  },
  ask: {
    about: 'a question with three options',
    replies: [answer(use('AskUserQuestion', ASK_ONE)), answer(say('Good, I will use that.'))],
  },
  'ask-multi': {
    about: 'two questions in one dialog, one of them with several answers',
    replies: [answer(use('AskUserQuestion', ASK_SEVERAL)), answer(say('Good, I will do that.'))],
  },
  plan: {
    about: 'a plan that needs approval (in plan mode)',
    replies: [
      answer(say('I will write the plan.'), use('Write', { file_path: '{plan_file}', content: PLAN })),
      answer(say('Here is my plan.'), use('ExitPlanMode', { plan: PLAN })),
      answer(say('The health check is in place.')),
    ],
  },
  'plan-empty': {
    about: 'the end of plan mode without a plan in its file',
    replies: [
      answer(say('I have seen enough.'), use('ExitPlanMode', {})),
      answer(say('The health check is in place.')),
    ],
  },
  query: {
    about: 'a turn that ends with a question in words',
    replies: [
      answer(say('The endpoint is in place and answers with the version.\n\nShould I also add a test for it?')),
    ],
  },
  fail: {
    about: 'a request that the service refuses',
    replies: [{ kind: 'error', status: 400, type: 'invalid_request_error', message: 'The scene refuses this request' }],
  },
  credit: {
    about: 'an account without credit',
    replies: [
      {
        kind: 'error',
        status: 400,
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API',
      },
    ],
  },
  'limit-near': {
    about: "an answer that nearly uses up the account's five-hour limit",
    replies: [
      { ...answer(say('There is little left for today.')), headers: limits({ status: 'allowed', used: 0.92 }) },
    ],
  },
  limit: {
    about: 'an account that has used up its five-hour limit',
    replies: [
      {
        kind: 'error',
        status: 429,
        type: 'rate_limit_error',
        message: "This request would exceed your account's rate limit. Please try again later.",
        headers: { ...limits({ status: 'rejected', used: 1 }), 'x-should-retry': 'false' },
      },
    ],
  },
  overloaded: {
    about: 'a service that is overloaded twice, then answers',
    replies: [
      { kind: 'error', status: 529, type: 'overloaded_error', message: 'Overloaded', times: 2 },
      answer(say('Now it works.')),
    ],
  },
  errtext: {
    about: 'an answer that mentions errors but is not an error',
    replies: [answer(say('API Error: 500 is what the log says. It came from the proxy, not from us.'))],
  },
} as const satisfies Record<string, Omit<Scene, 'name'>>;

export type SceneName = keyof typeof SCENES;

export const SCENE_NAMES = Object.keys(SCENES) as SceneName[];

/** @returns null if there is no scene with this name */
export function findScene(name: string): Scene | null {
  const scene = Object.hasOwn(SCENES, name) ? SCENES[name as SceneName] : undefined;
  return scene === undefined ? null : { name, ...scene };
}
