import { chooseByPrompt } from '../../src/demo/scenes/choose.ts';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { type ClaudeWorld, type ClaudeWorldOptions, claudeWorld } from '../harness/claude.ts';
import type { ClaudeInScreenOptions } from '../harness/claude-in-screen.ts';
import { openTerminalStage, READY, type TerminalStage, type Trace } from './terminal-stage.ts';

/** One launch, and the scenes that are played in it one after the other, each in a conversation of its own. */
interface Launch {
  options?: ClaudeInScreenOptions;
  scenes: Readonly<Record<string, (stage: TerminalStage) => Promise<void>>>;
  /** the scenes after which no other conversation is begun: the process has ended, or its conversation is needed */
  last?: readonly string[];
}

const ASKS = /Do you want to/;

/** Answers the permission of a scene and waits until the session rests again. */
const permission = (keys: string, outcome: 'goes on' | 'ends') => async (stage: TerminalStage) => {
  await stage.prompt('scene:permission');
  await stage.hook('PermissionRequest');
  await stage.rest('asks', ASKS);
  await stage.answer(ASKS, keys);
  if (outcome === 'goes on') await stage.hook('Stop');
  await stage.registry('idle');
  await stage.rest('done');
};

const turn = (prompt: string) => async (stage: TerminalStage) => {
  await stage.prompt(prompt);
  await stage.hook('Stop');
  await stage.registry('idle');
  await stage.rest('done');
};

const question =
  (scene: string, answer: (stage: TerminalStage) => Promise<void>, outcome: 'goes on' | 'ends' = 'goes on') =>
  async (stage: TerminalStage) => {
    await stage.prompt(`scene:${scene}`);
    await stage.hook('PermissionRequest');
    await stage.rest('asks', /Which/);
    await answer(stage);
    if (outcome === 'goes on') await stage.hook('Stop');
    await stage.registry('idle');
    await stage.rest('done');
  };

const longAnswer = async (stage: TerminalStage) => {
  await stage.prompt('scene:long');
  await stage.shows(/line 3 of/);
};

/** Every scene in a terminal. A name is what the list of the moved tests refers to. */
const LAUNCHES: Readonly<Record<string, Launch>> = {
  dialogs: {
    scenes: {
      'permission-yes': permission('1', 'goes on'),
      'permission-no': permission('3', 'ends'),
      'permission-escape': permission('\x1b', 'ends'),
      'permission-words': async (stage) => {
        await stage.prompt('scene:permission');
        await stage.hook('PermissionRequest');
        await stage.answer(ASKS, '\x1b[B\x1b[B');
        await stage.rest('the no is chosen', /❯ 3/);
        await stage.type('\t');
        await stage.rest('words may be typed', /3\. No, and/);
        await stage.type('use pnpm');
        await stage.rest('words are typed', /use pnpm/);
        await stage.type('\r');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      'permission-reply-yes': async (stage) => {
        await stage.prompt('scene:permission');
        await stage.hook('PermissionRequest');
        await stage.registry('waiting: permission prompt');
        await stage.reply({ behavior: 'allow' });
        await stage.hook('Stop');
        await stage.registry('idle');
        await stage.rest('done');
      },
      'permission-reply-no': async (stage) => {
        await stage.prompt('scene:permission');
        await stage.hook('PermissionRequest');
        await stage.registry('waiting: permission prompt');
        await stage.reply({ behavior: 'deny', message: 'leave it' });
        await stage.hook('Stop');
        await stage.registry('idle');
        await stage.rest('done');
      },
      'permission-twice': async (stage) => {
        await stage.prompt('scene:permission-twice');
        await stage.hook('PermissionRequest');
        await stage.answer(ASKS, '1');
        await stage.hook('PermissionRequest', 2);
        await stage.rest('asks again', /second\.txt\n╌*/);
        await stage.answer(ASKS, '\r');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      ask: question('ask', (stage) => stage.answer(/Which database/, '2')),
      'ask-escape': question('ask', (stage) => stage.answer(/Which database/, '\x1b'), 'ends'),
      'ask-words': question('ask', async (stage) => {
        await stage.answer(/Which database/, '4');
        await stage.rest('words may be typed', /❯ 4/);
        await stage.type('MySQL');
        await stage.rest('words are typed', /MySQL/);
        await stage.type('\r');
      }),
      'ask-reply': question('ask', (stage) =>
        stage.reply({
          behavior: 'allow',
          updatedInput: { ...ASKED, answers: { 'Which database shall the service use?': 'SQLite' } },
        }),
      ),
      'ask-multi': question('ask-multi', async (stage) => {
        await stage.answer(/Which language/, '2');
        await stage.rest('the second question', /Which platforms/);
        await stage.type('1');
        await stage.type('3');
        await stage.rest('two are chosen', /✔\] Win/);
        await stage.type('\x1b[C');
        await stage.rest('review', /Review/);
        await stage.answer(/Submit answers/, '1');
      }),
      command: async (stage) => {
        await stage.prompt('scene:run');
        await stage.hook('PermissionRequest');
        await stage.rest('asks', ASKS);
        await stage.answer(ASKS, '1');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      write: async (stage) => {
        await stage.prompt('scene:write');
        await stage.hook('PermissionRequest');
        await stage.rest('asks', ASKS);
        await stage.answer(ASKS, '1');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      'permission-always': permission('2', 'goes on'),
    },
  },
  turns: {
    scenes: {
      start: async (stage) => {
        await stage.hook('SessionStart');
        await stage.rest('ready');
      },
      hello: async (stage) => {
        await stage.type('Please go on with scene:hello');
        await stage.rest('typed', /go on/);
        await stage.type('\r');
        await stage.hook('Stop');
        await stage.registry('idle');
        await stage.rest('done');
      },
      tools: turn('scene:tools'),
      read: turn('scene:read'),
      query: turn('scene:query'),
      think: turn('scene:think'),
      slow: turn('scene:slow'),
      compound: turn('scene:compound'),
      overloaded: turn('scene:overloaded'),
      treacherous: turn('scene:treacherous'),
      error: async (stage) => {
        await stage.prompt('scene:fail');
        await stage.hook('StopFailure');
        await stage.registry('idle');
        await stage.rest('done');
      },
      'interrupt-early': async (stage) => {
        await stage.prompt('scene:silent');
        await stage.api('request');
        await stage.type('\x1b');
        await stage.registry('idle');
        await stage.rest('the prompt is back', /❯\sscene:silent/);
        await stage.type('\x03');
        await stage.rest('the prompt is cleared');
      },
      'interrupt-late': async (stage) => {
        await longAnswer(stage);
        await stage.type('\x1b');
        await stage.registry('idle');
        await stage.rest('interrupted');
        await stage.prompt('scene:hello');
        await stage.hook('Stop');
        await stage.rest('the next turn');
      },
      'interrupt-tool': async (stage) => {
        await stage.prompt('scene:tools');
        await stage.shows(/Running/);
        await stage.type('\x1b');
        await stage.registry('idle');
        await stage.rest('interrupted');
      },
      'queued-tool': async (stage) => {
        await stage.prompt('scene:tools');
        await stage.shows(/Running/);
        await stage.prompt('And then scene:hello please');
        await stage.hook('Stop');
        await stage.registry('idle');
        await stage.rest('done');
      },
      'queued-end': async (stage) => {
        await stage.prompt('scene:think');
        await stage.api('first-byte');
        await stage.prompt('And then scene:hello please');
        await stage.hook('Stop', 2);
        await stage.registry('idle');
        await stage.rest('done');
      },
      'queued-escape': async (stage) => {
        await longAnswer(stage);
        await stage.prompt('And then scene:hello please');
        await stage.shows(/Queued/);
        await stage.type('\x1b');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      'queued-back': async (stage) => {
        await longAnswer(stage);
        await stage.prompt('And then scene:hello please');
        await stage.shows(/Queued/);
        await stage.type('\x1b[A');
        await stage.shows(/❯\sAnd then/);
        await stage.type('\x1b');
        await stage.registry('idle');
        await stage.rest('interrupted', /manual mode on/);
        await stage.type('\x03');
        await stage.rest('the prompt is cleared');
      },
      'queued-two-back': async (stage) => {
        await stage.prompt('scene:silent');
        await stage.api('request');
        await stage.prompt('the first of two');
        await stage.shows(/Queued/);
        await stage.prompt('the second of two scene:hello');
        await stage.hook('UserPromptSubmit', 3);
        await stage.rest('two are queued', /Press up/);
        await stage.type('\x1b[A');
        await stage.rest('both are back', /❯\sthe first/);
        await stage.type('\x1b');
        await stage.registry('idle');
        await stage.rest('interrupted', /manual mode on/);
        await stage.type('\r');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      paste: async (stage) => {
        await stage.type(`\x1b[200~${PASTED}\x1b[201~`);
        await stage.rest('pasted', /Pasted text/);
        await stage.type('\r');
        await stage.hook('Stop');
        await stage.rest('done');
      },
      draft: async (stage) => {
        await stage.type('half a text');
        await stage.rest('typed', /half a text/);
        await stage.type('\x03');
        await stage.rest('the prompt is cleared');
      },
      'command-fails': turn('scene:broken'),
      compact: async (stage) => {
        await stage.prompt('scene:hello');
        await stage.hook('Stop');
        await stage.rest('before');
        await stage.prompt('/compact');
        await stage.hook('PostCompact');
        await stage.registry('idle');
        await stage.rest('done', /Compacted \(/);
      },
      exit: async (stage) => {
        await stage.prompt('/exit');
        await stage.ended();
      },
    },
    last: ['exit'],
  },
  plan: {
    options: { permissionMode: 'plan' },
    scenes: {
      'plan-words': async (stage) => {
        await stage.prompt('scene:plan');
        await stage.hook('PermissionRequest');
        await stage.answer(/Would you like to proceed/, '3');
        await stage.rest('words may be typed', /❯ 3/);
        await stage.type('shorter');
        await stage.type('\r');
        await stage.hook('Stop');
        await stage.registry('idle');
        await stage.rest('done');
      },
      'plan-empty': async (stage) => {
        await stage.prompt('scene:plan-empty');
        await stage.hook('PermissionRequest');
        await stage.rest('asks', /Exit plan mode/);
        await stage.answer(/Exit plan mode/, '2');
        await stage.registry('idle');
        await stage.rest('done');
      },
      'plan-manual': async (stage) => {
        await stage.prompt('scene:plan');
        await stage.hook('PermissionRequest');
        await stage.rest('asks', /Would you like to proceed/);
        await stage.answer(/Would you like to proceed/, '2');
        await stage.hook('Stop');
        await stage.registry('idle');
        await stage.rest('done');
      },
      killed: async (stage) => {
        await longAnswer(stage);
        stage.signal('SIGKILL');
        await stage.ended();
      },
    },
    last: ['killed'],
  },
};

const ASKED = {
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

/** Three launches: the second continues a copy of the first one's conversation, and the third the conversation. */
async function playResume(world: ClaudeWorld, take: (name: string, trace: Trace) => void): Promise<void> {
  const first = await openTerminalStage(world, SIZE);
  await first.rest('ready');
  await turn('scene:query')(first);
  first.signal('SIGTERM');
  await first.hook('SessionEnd');
  await first.ended();
  take('terminated', first.take());
  const conversation = { kind: 'resume' as const, sessionId: first.sessionId };
  const copy = await openTerminalStage(world, { ...SIZE, conversation, args: ['--fork-session'] });
  await copy.hook('SessionStart');
  await copy.rest('copied');
  await turn('scene:hello')(copy);
  take('forked', copy.take());
  copy.signal('SIGTERM');
  await copy.ended();
  const options = { ...SIZE, conversation, args: ['--allowedTools', 'Bash'] };
  const second = await openTerminalStage(world, options);
  await second.hook('SessionStart');
  await second.rest('continued');
  await turn('scene:hello')(second);
  take('resume', second.take());
  await turn('scene:run')(second);
  take('allowed', second.take());
  await second.prompt('scene:background');
  await second.hook('Stop');
  await second.registry('shell');
  await second.rest('the command runs on', /still running/);
  take('background', second.take());
}

async function playTrust(world: ClaudeWorld, take: (name: string, trace: Trace) => void): Promise<void> {
  const stage = await openTerminalStage(world, SIZE);
  await stage.rest('asks', /one you trust/);
  await stage.answer(/❯ No, exit/, '\x1b[B');
  await stage.rest('the yes is chosen', /❯ Yes, I trust/);
  await stage.type('\r');
  await stage.hook('SessionStart');
  await stage.rest('ready');
  take('trust', stage.take());
}

const SIZE = { cols: 120, rows: 40 };

async function playLaunch(
  world: ClaudeWorld,
  launch: Launch,
  take: (name: string, trace: Trace) => void,
): Promise<void> {
  const stage = await openTerminalStage(world, { ...SIZE, ...launch.options });
  await stage.shows(READY);
  for (const [name, play] of Object.entries(launch.scenes)) {
    await play(stage).catch((error: Error) => {
      throw new Error(`the scene ${name} was not played: ${error.message}`, { cause: error });
    });
    const trace = stage.take();
    // A process that ends was seen to write its record again after it had removed the record.
    take(name, name === 'exit' ? { ...trace, registry: trace.registry.slice(-1) } : trace);
    if (name === 'start' || launch.last?.includes(name)) continue;
    await stage.prompt('/clear');
    await stage.hook('SessionStart');
    await stage.transcript(/"local_command"/);
    await stage.shows(/❯ \/clear/);
    await stage.rest('cleared');
    const cleared = stage.take();
    // The session is busy for so short a moment that a watch of the registry may miss it.
    if (name === 'hello') take('clear', { ...cleared, registry: [] });
  }
}

/** More lines than Claude Code shows of a paste. */
const PASTED = Array.from({ length: 6 }, (_, at) => `line ${at} of a paste`).join('\n');

/** Scenes that the demo's catalogue does not have. */
const MORE_SCENES: Readonly<Record<string, Scene>> = {
  'scene:run': commandScene('run', { command: './deploy.sh staging', description: 'Deploy to staging' }),
  'scene:background': commandScene('background', {
    command: 'sleep 300',
    description: 'Wait',
    run_in_background: true,
  }),
  'scene:compound': commandScene('compound', { command: './check.sh && ls', description: 'Check and list' }),
  'scene:broken': commandScene('broken', { command: 'cat nothing.txt', description: 'Read a missing file' }),
};

function commandScene(name: string, input: Record<string, unknown>): Scene {
  const blocks = (...all: Block[]): Reply => ({ kind: 'answer', blocks: all });
  return {
    name,
    about: name,
    replies: [blocks({ kind: 'tool', name: 'Bash', input }), blocks({ kind: 'text', text: 'That was it.' })],
  };
}

type Play = (world: ClaudeWorld, take: (name: string, trace: Trace) => void) => Promise<void>;

const GROUPS: Readonly<Record<string, { world?: ClaudeWorldOptions; play: Play }>> = {
  ...Object.fromEntries(
    Object.entries(LAUNCHES).map(([name, launch]) => [
      name,
      { play: (world, take) => playLaunch(world, launch, take) },
    ]),
  ),
  resume: { play: playResume },
  trust: { world: { trusted: false }, play: playTrust },
};

/** The launches of the contract. The scenes of one launch are played one after the other. */
export const GROUP_NAMES = Object.keys(GROUPS);

/** Plays all scenes of a launch with the real Claude Code or with the stand-in. */
export async function playGroup(name: string, agent: 'real' | 'stand-in'): Promise<Record<string, Trace>> {
  const group = GROUPS[name];
  if (group === undefined) throw new Error(`no such launch: ${name}`);
  await using world = await claudeWorld({ ...group.world, agent, choosers: [chooseByPrompt(MORE_SCENES)] });
  const traces: Record<string, Trace> = {};
  await group.play(world, (scene, trace) => {
    traces[scene] = trace;
  });
  return traces;
}
