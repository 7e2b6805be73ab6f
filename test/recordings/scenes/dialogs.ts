import { KEYS, type RecordedScene } from '../scene.ts';
import { turn } from './core.ts';
import { bash, slowly, text, tool } from './replies.ts';

const SEVERAL = {
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
    {
      question: 'When shall it be ready?',
      header: 'Date',
      multiSelect: false,
      options: [
        { label: 'This week', description: 'Without tests' },
        { label: 'Next week', description: 'With tests' },
      ],
    },
  ],
};

const CJK = {
  questions: [
    {
      question: 'どのデータベースを使いますか？ 🗄️',
      header: 'データ',
      multiSelect: false,
      options: [
        { label: '数据库 SQLite 🪶', description: 'ファイル一つ、何も要らない' },
        { label: '데이터베이스 PostgreSQL 🐘', description: '서버가 필요합니다' },
      ],
    },
  ],
};

/** The behaviour of a menu that the user opens with a command, looks at, and leaves. */
interface MenuOptions {
  /** how many times Esc must be pressed to leave it */
  escapes?: number;
  /** true if it shows something but offers no choice */
  asksNothing?: boolean;
}

const menu = (
  command: string,
  about: string,
  { escapes = 1, asksNothing = false }: MenuOptions = {},
): RecordedScene => ({
  about,
  play: async (stage) => {
    await stage.ready();
    await stage.prompt(command);
    if (asksNothing) stage.truth.say('waiting-or-idle', `the user opened ${command}`);
    else stage.truth.say('waiting', `the user opened ${command}`, { detail: 'setup' });
    await stage.rest(6_000);
    for (let n = 0; n < escapes; n++) {
      await stage.press(KEYS.escape);
      await stage.rest(300);
    }
    stage.truth.say('idle', 'left with Esc');
    await stage.settle();
  },
});

/** Dialogs, and everything else that may cover the prompt. */
export const DIALOG_SCENES: Readonly<Record<string, RecordedScene>> = {
  'ask-several': {
    about: 'three questions in one dialog, one with several answers',
    asks: { AskUserQuestion: 'question' },
    replies: { several: [slowly(tool('AskUserQuestion', SEVERAL)), slowly(text('Good, I will do that.'))] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:several');
      await stage.heard('tool');
      await stage.rest(4_000);
      await stage.press('2');
      await stage.rest(2_500);
      for (const key of ['1', '3', KEYS.right]) {
        await stage.press(key);
        await stage.rest(1_000);
      }
      await stage.rest(2_000);
      await stage.press('1');
      await stage.rest(3_000);
      await stage.answer('1', 'submitted');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'ask-escape': {
    about: 'a question that is dismissed with Esc',
    asks: { AskUserQuestion: 'question' },
    replies: { several: [slowly(tool('AskUserQuestion', SEVERAL)), slowly(text('Good, I will do that.'))] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:several');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'dismissed with Esc');
      await stage.settle();
    },
  },
  'ask-typing': {
    about: 'a question that is answered with free text, typed slowly',
    asks: { AskUserQuestion: 'question' },
    replies: { cjk: [slowly(tool('AskUserQuestion', CJK)), slowly(text('Good, I will do that.'))] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:cjk');
      await stage.heard('tool');
      await stage.rest(3_000);
      await stage.press('3');
      await stage.rest(1_000);
      for (const key of 'MariaDB, please') {
        await stage.press(key);
        await stage.rest(150);
      }
      await stage.rest(2_500);
      await stage.answer(KEYS.enter, 'answered in words');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'ask-cjk': {
    about: 'a question in wide characters and emoji',
    asks: { AskUserQuestion: 'question' },
    replies: { cjk: [slowly(tool('AskUserQuestion', CJK)), slowly(text('わかりました。それを使います。'))] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('続けてください scene:cjk');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.answer('1', 'answered');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'trust-yes': {
    about: 'the trust dialog, accepted (its first choice is no, 2.1.329)',
    without: 'trust',
    play: async (stage) => {
      await stage.ready('waiting');
      await stage.rest(3_000);
      await stage.press(KEYS.down);
      await stage.rest(500);
      await stage.press(KEYS.enter);
      stage.truth.say('starting', 'trusted');
      await stage.rest(2_000);
      await stage.ready();
      await stage.settle();
    },
  },
  'api-key': {
    about: 'the dialog about a key in the environment',
    without: 'key',
    play: async (stage) => {
      await stage.ready('waiting');
      await stage.rest(5_000);
    },
  },
  bypass: {
    about: 'bypass mode: its warning, then a command that needs no permission',
    args: ['--dangerously-skip-permissions'],
    // As root, Claude Code refuses this option unless it learns that it is in a sandbox. The recorder's world is a
    // sandbox.
    env: { IS_SANDBOX: '1' },
    replies: {
      free: [
        slowly(
          text('I will write the marker file.'),
          tool('Bash', { command: 'touch ../marker.txt && sleep 4', description: 'Create the marker file' }),
        ),
        slowly(text('The marker file is there now.')),
      ],
    },
    play: async (stage) => {
      await stage.ready('waiting');
      await stage.rest(3_000);
      await stage.press(KEYS.down);
      await stage.rest(500);
      await stage.press(KEYS.enter);
      // Only now does Claude Code continue to start.
      stage.truth.say('starting', 'accepted');
      await stage.rest(2_000);
      await stage.ready();
      await stage.settle();
      await stage.prompt('Please go on with scene:free');
      await stage.heard('tool');
      await stage.heard('end');
      await stage.settle();
    },
  },
  model: menu('/model', 'the model picker'),
  theme: menu('/theme', 'the theme picker'),
  // The first Esc leaves the search of the settings.
  config: menu('/config', 'the settings', { escapes: 2 }),
  'help-pages': menu('/help', 'the pages of help', { asksNothing: true }),
  'resume-picker': menu('/resume', 'the picker of earlier conversations, where there are none', { asksNothing: true }),
  permissions: menu('/permissions', 'the rules of permissions'),
  login: menu('/login', 'the ways to sign in'),
  help: {
    about: 'the shortcuts below the prompt, with ?: still idle',
    play: async (stage) => {
      await stage.ready();
      await stage.press('?');
      await stage.rest(5_000);
      await stage.press(KEYS.escape);
      await stage.rest(3_000);
    },
  },
  transcript: {
    about: 'the transcript over an idle session, with Ctrl+O, and closed again',
    replies: { hello: [slowly(text('Hello! I have read the project and I am ready when you are.'))] },
    play: async (stage) => {
      await turn('hello')(stage);
      await stage.press(KEYS.ctrlO);
      stage.truth.say('waiting-or-idle', 'the transcript is open');
      await stage.rest(5_000);
      await stage.press(KEYS.ctrlO);
      stage.truth.say('idle', 'the transcript is closed');
      await stage.settle();
    },
  },
  'transcript-active': {
    about: 'the transcript over a running turn',
    replies: {
      slow: [{ kind: 'answer', firstByteDelayMs: 12_000, blocks: [text('Sorry that it took so long.')] }],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(3_000);
      await stage.press(KEYS.ctrlO);
      await stage.rest(5_000);
      await stage.press(KEYS.ctrlO);
      await stage.heard('end');
      await stage.settle();
    },
  },
  'transcript-end': {
    about: 'a turn that ends below the transcript',
    replies: {
      slow: [{ kind: 'answer', firstByteDelayMs: 8_000, blocks: [text('Sorry that it took so long.')] }],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:slow');
      await stage.heard('request');
      await stage.rest(3_000);
      await stage.press(KEYS.ctrlO);
      await stage.heard('end');
      stage.truth.say('waiting-or-idle', 'the turn is over, the transcript still open');
      await stage.settle();
      await stage.press(KEYS.ctrlO);
      stage.truth.say('idle', 'the transcript is closed');
      await stage.settle();
    },
  },
  'transcript-permission': {
    about: 'a permission that is asked below the transcript',
    asks: { Bash: 'permission' },
    replies: {
      late: [
        {
          kind: 'answer',
          firstByteDelayMs: 6_000,
          blocks: [text('I will write the marker file.'), bash('touch ../marker.txt', 'Create the marker file')],
        },
        slowly(text('The marker file is there now.')),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:late');
      await stage.heard('request');
      await stage.rest(2_000);
      await stage.press(KEYS.ctrlO);
      await stage.heard('tool');
      await stage.settle();
      await stage.press(KEYS.ctrlO);
      await stage.settle();
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
};
