import type { Reply } from '../../../src/demo/scenes/scene.ts';
import { isAtLeast } from '../../../src/platform/claude/index.ts';
import { KEYS, type RecordedScene, type Stage } from '../scene.ts';
import { turn } from './core.ts';
import { answer, bash, lines, slowly, text, tool } from './replies.ts';

const NOISY = `#!/bin/sh
i=0
while [ $i -lt 300 ]; do
  i=$((i + 1))
  echo "[$i/300] checking src/module-$i.ts … ok, Error: none, 3s, do you want to proceed? no"
  sleep 0.03
done
touch finished
`;
const QUIET = `#!/bin/sh
sleep 18
touch finished
`;
const NOISY_FILES = { 'noisy.sh': NOISY };
const ALLOW_SCRIPTS = [
  'Bash(./noisy.sh:*)',
  'Bash(./noisy.sh)',
  'Bash(./quiet.sh:*)',
  'Bash(./quiet.sh)',
  'Bash(sleep:*)',
];

const SUBAGENT_TASK = 'Look through the tests, please: scene:part';

/** Without this variable, 2.1.329 runs every subagent in the background, whatever the call requests. */
const INSIDE_THE_TURN = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };

/** Since 2.1.63 the tool that runs subagents is called Agent. */
const subagent = (name: string) => [
  slowly(
    text('I let somebody look at the tests.'),
    tool(name, {
      description: 'Look through the tests',
      prompt: SUBAGENT_TASK,
      subagent_type: 'general-purpose',
    }),
  ),
  slowly(text('The tests are in order.')),
  slowly(text('That is all of it.')),
];
const PART_THAT_RUNS = [
  slowly(text('I run them.'), bash('./noisy.sh', 'Run the tests')),
  slowly(text('All of them pass.')),
];
const PART_THAT_ASKS = [slowly(bash('touch ../marker.txt', 'Create the marker file')), slowly(text('It is there.'))];
const delegates = (part: readonly Reply[]): NonNullable<RecordedScene['replies']> => ({
  agent: subagent('Agent'),
  task: subagent('Task'),
  part,
});
const delegate = async (stage: Stage): Promise<void> => {
  await stage.ready();
  await stage.prompt(`Please go on with scene:${isAtLeast(stage.version, '2.1.63') ? 'agent' : 'task'}`);
  await stage.heard('tool');
};

/** Work inside a turn or in parallel to it. */
export const TOOL_SCENES: Readonly<Record<string, RecordedScene>> = {
  'background-shell': {
    about: 'a turn that ends while one of its shells still runs: idle',
    allow: ALLOW_SCRIPTS,
    replies: {
      background: [
        slowly(text('I start it.'), bash('sleep 40', 'Wait in the background', { run_in_background: true })),
        slowly(text('It runs in the background now.')),
      ],
    },
    play: async (stage) => {
      await turn('background')(stage);
      await stage.rest(5_000);
    },
  },
  'background-done': {
    about: 'a background shell that ends; the program continues automatically',
    allow: ALLOW_SCRIPTS,
    replies: {
      background: [
        slowly(text('I start it.'), bash('sleep 12', 'Wait in the background', { run_in_background: true })),
        slowly(text('It runs in the background now.')),
      ],
    },
    play: async (stage) => {
      await turn('background')(stage);
      await stage.rest(14_000);
    },
  },
  subagent: {
    about: 'a subagent that runs a tool, inside of a turn',
    env: INSIDE_THE_TURN,
    allow: ALLOW_SCRIPTS,
    files: NOISY_FILES,
    helpers: /scene:part/,
    replies: delegates(PART_THAT_RUNS),
    play: async (stage) => {
      await delegate(stage);
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'subagent-background': {
    about: 'a subagent that continues after the turn: idle, then the program continues automatically',
    allow: ALLOW_SCRIPTS,
    files: NOISY_FILES,
    helpers: /scene:part/,
    replies: delegates(PART_THAT_RUNS),
    play: async (stage) => {
      await delegate(stage);
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.heard('end', { whose: 'helper', timeoutMs: 60_000 });
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'subagent-permission': {
    about: 'a subagent that needs a permission, inside of a turn',
    env: INSIDE_THE_TURN,
    helpers: /scene:part/,
    asks: { Bash: 'permission' },
    replies: delegates(PART_THAT_ASKS),
    play: async (stage) => {
      await delegate(stage);
      await stage.heard('tool', { whose: 'helper' });
      await stage.rest(6_000);
      await stage.answer('1', 'approved');
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'background-permission': {
    about: 'a subagent that needs a permission after the turn: waiting, then idle',
    helpers: /scene:part/,
    asks: { Bash: 'permission' },
    replies: delegates(PART_THAT_ASKS),
    play: async (stage) => {
      await delegate(stage);
      await stage.heard('tool', { whose: 'helper' });
      await stage.rest(8_000);
      await stage.answer('1', 'approved');
      await stage.heard('end', { whose: 'helper', timeoutMs: 60_000 });
      await stage.heard('end', { timeoutMs: 60_000 });
      await stage.settle();
    },
  },
  'noisy-tool': {
    about: 'a tool of ten seconds with much output',
    allow: ALLOW_SCRIPTS,
    files: NOISY_FILES,
    replies: {
      noisy: [slowly(text('I run it.'), bash('./noisy.sh', 'Check every module')), slowly(text('All are fine.'))],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:noisy');
      await stage.heard('tool');
      await stage.heard('request', { timeoutMs: 60_000 });
      await stage.heard('end');
      await stage.settle();
    },
  },
  'quiet-tool': {
    about: 'a tool of 18 seconds that prints nothing',
    allow: ALLOW_SCRIPTS,
    files: { 'quiet.sh': QUIET },
    replies: { quiet: [slowly(bash('./quiet.sh', 'Wait for the server')), slowly(text('It is up.'))] },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:quiet');
      await stage.heard('tool');
      await stage.heard('request', { timeoutMs: 60_000 });
      await stage.heard('end');
      await stage.settle();
    },
  },
  'interrupt-tool': {
    about: 'a tool that is stopped with Esc',
    allow: ALLOW_SCRIPTS,
    files: NOISY_FILES,
    replies: {
      noisy: [slowly(text('I run it.'), bash('./noisy.sh', 'Check every module')), slowly(text('All are fine.'))],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:noisy');
      await stage.heard('tool');
      await stage.rest(4_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'interrupted with Esc');
      await stage.settle();
    },
  },
  'shell-mode': {
    about: 'a command that the user runs with !',
    files: NOISY_FILES,
    play: async (stage) => {
      await stage.ready();
      await stage.press('!');
      await stage.rest(500);
      await stage.press('./noisy.sh');
      await stage.rest(3_000);
      await stage.press(KEYS.enter);
      stage.truth.say('active', 'a shell command of the user runs', { detail: 'using_tools' });
      await stage.written('finished');
      // Since 2.1.250 the model gets the output and comments on it.
      if (isAtLeast(stage.version, '2.1.250')) await stage.heard('end');
      else stage.truth.say('idle', 'the shell command has ended');
      await stage.settle();
    },
  },
  edit: {
    about: 'a file that is read, then changed after a permission',
    asks: { Edit: 'permission' },
    replies: {
      edit: [
        answer(text('Let me look.'), tool('Read', { file_path: 'README.md' })),
        slowly(
          text('I will change the title.'),
          tool('Edit', { file_path: 'README.md', old_string: '# Example', new_string: '# The clock service' }),
        ),
        slowly(text('The title is new.')),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:edit');
      await stage.heard('tool');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
  fetch: {
    about: 'a web page that needs a permission, dismissed with Esc',
    asks: { WebFetch: 'permission' },
    replies: {
      fetch: [
        slowly(tool('WebFetch', { url: 'https://example.com/', prompt: 'What does it say?' })),
        answer(text('Done.')),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:fetch');
      await stage.heard('tool');
      await stage.rest(5_000);
      await stage.press(KEYS.escape);
      stage.truth.say('idle', 'denied with Esc');
      await stage.settle();
    },
  },
  'permission-long': {
    about: 'a command so long that its dialog is higher than a small window',
    asks: { Bash: 'permission' },
    cols: 60,
    rows: 18,
    replies: {
      longcommand: [
        slowly(
          text('I will write the list.'),
          bash(
            `cat > ../list.txt <<'END'\n${lines(30, (n) => `entry ${n}: the module number ${n}`)}\nEND`,
            'Write the list',
          ),
        ),
        slowly(text('The list is written.')),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:longcommand');
      await stage.heard('tool');
      await stage.rest(6_000);
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
  'write-long': {
    about: 'a new file so long that its dialog is higher than a small window',
    asks: { Write: 'permission' },
    cols: 60,
    rows: 18,
    replies: {
      longfile: [
        slowly(
          text('I will write the notes.'),
          tool('Write', { file_path: 'notes.md', content: `${lines(60, (n) => `- note ${n} about module ${n}`)}\n` }),
        ),
        slowly(text('The notes are written.')),
      ],
    },
    play: async (stage) => {
      await stage.ready();
      await stage.prompt('Please go on with scene:longfile');
      await stage.heard('tool');
      await stage.rest(6_000);
      await stage.answer('1', 'approved');
      await stage.heard('end');
      await stage.settle();
    },
  },
};
