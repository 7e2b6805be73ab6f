import { KEYS, type RecordedScene } from '../scene.ts';
import { turn } from './core.ts';
import { answer, bash, failure, lines, slowly, text } from './replies.ts';

const WIDE = `答えは次のとおりです 🎉

1. サーバーを起動します 🚀
2. データベースを準備します — 完了 ✅
3. 한국어 문장도 있습니다 👩‍👩‍👧‍👦
4. 中文：请确认是否继续？（是／否）
5. é è ü ñ — Zażółć gęślą jaźń

| 名前 | 値 |
|---|---|
| 東京 | 12 |

以上です。🙇`;

const DIALOG_IN_CODE = `The dialog looks like this:

\`\`\`
Bash command

  rm -rf build
  Remove the build directory

Do you want to proceed?
❯ 1. Yes
  2. Yes, and don't ask again for rm commands
  3. No, and tell Claude what to do differently (esc)

Esc to cancel · Tab to amend
\`\`\``;

const DIALOG_IN_WORDS = `It then asks:

Do you want to proceed?
❯ 1. Yes
  2. No

Enter to select · ↑/↓ to navigate · Esc to cancel`;

const SPINNER_IN_WORDS = `While it works it shows these:

✻ Garnishing… (3s · ↓ 20 tokens · esc to interrupt)

✶ Thinking… (esc to interrupt)

and in the footer: esc to interrupt`;

const ERRORS_IN_WORDS = `The log says:

  ⎿  API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
  ⎿  API Error (Connection error.) · Retrying in 5 seconds… (attempt 4/10)

● Bash(npm test)
  ⎿  Running…`;

/** A few attempts show what a retry looks like. The default number takes minutes. */
const FEW_RETRIES = { CLAUDE_CODE_MAX_RETRIES: '3' };

const ATTEMPTS = 1 + Number(FEW_RETRIES.CLAUDE_CODE_MAX_RETRIES);

/** Claude Code gives up after this many overloaded attempts, regardless of the allowed retries. */
const OVERLOADED_ATTEMPTS = 3;

const draft = (about: string, keys: readonly string[]): RecordedScene => ({
  about,
  play: async (stage) => {
    await stage.ready();
    for (const key of keys) {
      await stage.press(key);
      await stage.rest(300);
    }
    await stage.rest(6_000);
  },
});

/** Scenes about how turns run, look, and fail, and about text in the prompt. */
export const TURN_SCENES: Readonly<Record<string, RecordedScene>> = {
  wide: {
    about: 'an answer in wide characters and emoji',
    replies: { wide: [slowly(text(WIDE, 400))] },
    play: turn('wide'),
  },
  'code-dialog': {
    about: 'a code block that holds a whole dialog',
    replies: { code: [slowly(text(DIALOG_IN_CODE))] },
    play: turn('code'),
  },
  'words-dialog': {
    about: 'an answer that ends like a dialog',
    replies: { words: [slowly(text(DIALOG_IN_WORDS))] },
    play: turn('words'),
  },
  'words-spinner': {
    about: 'an answer that ends like a spinner',
    replies: { words: [slowly(text(SPINNER_IN_WORDS))] },
    play: turn('words'),
  },
  'words-errors': {
    about: 'an answer that ends like a failed turn and a running tool',
    replies: { words: [slowly(text(ERRORS_IN_WORDS))] },
    play: turn('words'),
  },
  resize: {
    about: 'a window that changes its size while an answer is written',
    replies: {
      long: [
        answer(
          text(
            lines(60, (n) => `${n}. This is line ${n} of a long answer.`),
            80,
          ),
        ),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:long');
      await stage.heard('first-byte');
      await stage.rest(3_000);
      await stage.resize(64, 20);
      await stage.rest(4_000);
      await stage.resize(140, 40);
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'resize-dialog': {
    about: 'a window that changes its size while a permission is asked',
    asks: { Bash: 'permission' },
    replies: {
      bash: [
        slowly(text('I will write the marker file.'), bash('touch ../marker.txt', 'Create the marker file')),
        slowly(text('The marker file is there now.')),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:bash');
      await stage.heard('tool');
      await stage.rest(3_500);
      await stage.resize(64, 16);
      await stage.rest(3_500);
      await stage.resize(150, 45);
      await stage.rest(3_500);
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
  overloaded: {
    about: 'a service that is overloaded twice, then answers',
    attempts: 100,
    replies: {
      busy: [failure(529, 'overloaded_error', 'Overloaded', 2), slowly(text('Now it works.'))],
    },
    play: turn('busy'),
  },
  'overloaded-fail': {
    about: 'a service that stays overloaded until Claude Code gives up (the third time, 2.1.329)',
    attempts: OVERLOADED_ATTEMPTS,
    replies: { busy: [failure(529, 'overloaded_error', 'Overloaded')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:busy');
      for (let n = 0; n < OVERLOADED_ATTEMPTS; n++) await stage.heard('failed', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'server-error': {
    about: 'a service that fails inside until Claude Code gives up',
    env: FEW_RETRIES,
    attempts: ATTEMPTS,
    replies: { broken: [failure(500, 'api_error', 'Internal server error')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:broken');
      for (let n = 0; n < ATTEMPTS; n++) await stage.heard('failed', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'rate-limit': {
    about: 'a service that limits the rate until Claude Code gives up',
    env: FEW_RETRIES,
    attempts: ATTEMPTS,
    replies: { limit: [failure(429, 'rate_limit_error', 'This request would exceed your rate limit')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:limit');
      for (let n = 0; n < ATTEMPTS; n++) await stage.heard('failed', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  credit: {
    about: 'an account without credit',
    replies: {
      credit: [failure(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API')],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:credit');
      await stage.heard('failed');
      await stage.settle();
    },
  },
  unauthorized: {
    about: 'a key that the service does not take, until Claude Code gives up',
    env: FEW_RETRIES,
    attempts: ATTEMPTS,
    replies: { unauthorized: [failure(401, 'authentication_error', 'invalid x-api-key')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:unauthorized');
      for (let n = 0; n < ATTEMPTS; n++) await stage.heard('failed', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'no-model': {
    about: 'a model that the service does not have',
    replies: { absent: [failure(404, 'not_found_error', 'model: claude-nobody')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:absent');
      await stage.heard('failed');
      await stage.settle();
    },
  },
  'too-large': {
    about: 'a request that is too large for the service',
    replies: { large: [failure(413, 'request_too_large', 'Request exceeds the maximum size')] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:large');
      await stage.heard('failed');
      await stage.settle();
    },
  },
  'network-reset': {
    about: 'connections that are reset in the middle of an answer, until they work again',
    replies: { slow: [{ kind: 'answer', firstByteDelayMs: 6_000, blocks: [text('There it is.')] }] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(2_000);
      await stage.network('reset');
      await stage.attempts(4);
      await stage.network('restore');
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'network-refused': {
    about: 'a service that is gone for ten seconds',
    replies: { slow: [{ kind: 'answer', firstByteDelayMs: 6_000, blocks: [text('There it is.')] }] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(2_000);
      await stage.network('refuse');
      await stage.rest(10_000);
      await stage.network('restore');
      await stage.heard('end', { timeoutMs: 90_000 });
      await stage.settle();
    },
  },
  'network-lost': {
    about: 'a network that stays lost until Claude Code gives up',
    env: FEW_RETRIES,
    replies: { slow: [{ kind: 'answer', firstByteDelayMs: 6_000, blocks: [text('There it is.')] }] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(2_000);
      await stage.network('reset');
      const at = await stage.lastAttempt(12_000);
      stage.truth.say('error', 'the last attempt failed', { at });
    },
  },
  compact: {
    about: 'a conversation that is compacted with /compact',
    replies: {
      hello: [slowly(text('Hello! I have read the project and I am ready when you are.'))],
      compaction: [
        slowly(
          text(
            '<analysis>Little was said.</analysis>\n<summary>They greeted each other, and that was all.</summary>',
            500,
          ),
        ),
      ],
    },
    play: async (stage) => {
      await turn('hello')(stage);
      await stage.prompt('/compact');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'queued-two': {
    about: 'two prompts that wait while the first is being answered, then one interrupt',
    replies: {
      first: [{ kind: 'answer', firstByteDelayMs: 12_000, blocks: [text('This was the first one.')] }],
      second: [slowly(text('And these were the other ones.'))],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:first');
      await stage.heard('request');
      await stage.rest(3_000);
      await stage.prompt('And then this one, scene:second');
      await stage.rest(2_000);
      await stage.prompt('And at last this one, scene:second');
      await stage.heard('end');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'interrupt-answer': {
    about: 'an answer that is stopped with Esc while it is written',
    replies: {
      long: [
        answer(
          text(
            lines(100, (n) => `${n}. This is line ${n} of a long answer.`),
            80,
          ),
        ),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:long');
      await stage.heard('first-byte');
      await stage.rest(4_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'interrupted with Esc');
      await stage.settle();
    },
  },
  'two-turns': {
    about: 'a prompt that is typed slowly after an answer, then a second turn',
    replies: {
      hello: [slowly(text('Hello! I have read the project and I am ready when you are.'))],
      more: [slowly(text('There is not much more to say.'))],
    },
    play: async (stage) => {
      await turn('hello')(stage);
      for (const key of 'Please go on with scene:more') {
        await stage.press(key);
        await stage.rest(120);
      }
      await stage.rest(2_000);
      await stage.press(KEYS.enter);
      await stage.heard('end');
      await stage.settle();
    },
  },
  'draft-lines': draft('a draft of several lines that is pasted', [
    '\x1b[200~First, look at the server.\nThen do this:\n  1. Yes\n  2. No\nDo you want to proceed?\x1b[201~',
  ]),
  'draft-rows': draft('a draft of several lines that is typed', [
    'First, look at the server. Then ask me:',
    '\n',
    'Do you want to proceed?',
    '\n',
    '❯ 1. Yes',
    '\n',
    '  2. No',
  ]),
  'draft-long': draft('a draft that fills several rows', [
    `Please look at ${lines(12, (n) => `module ${n} and its tests`).replaceAll('\n', ', ')}, and tell me what you think. esc to interrupt`,
  ]),
  'draft-active': {
    about: 'a draft that is typed while a turn runs',
    replies: {
      slow: [{ kind: 'answer', firstByteDelayMs: 12_000, blocks: [text('Sorry that it took so long.')] }],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(3_000);
      await stage.press('and then I would like to');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'mode-edits': draft('the mode in which edits are accepted, with Shift+Tab', [KEYS.shiftTab]),
  'mode-plan': draft('plan mode, with Shift+Tab twice', [KEYS.shiftTab, KEYS.shiftTab]),
  slash: draft('the menu of commands', ['/']),
  'draft-shell': draft('a shell command that is only typed', ['!', 'npm test']),
  'draft-file': draft('a file that is being chosen with @', ['look at ', '@', 'src']),
};
