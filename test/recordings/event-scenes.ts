import type { ClaudeEvent } from '../../src/protocol/index.ts';

/** A Claude Code that speaks stream-json, with the functions that a scene needs. */
export interface EventStage {
  /** writes a prompt; another turn may be running */
  prompt(text: string): Promise<void>;
  /** waits for the next event that meets a condition */
  until(describe: string, isIt: (event: ClaudeEvent) => boolean): Promise<ClaudeEvent>;
  /** waits until Claude Code reports that it has nothing more to do */
  untilIdle(): Promise<void>;
  /** answers the next question: a permission, a question, or a plan */
  answer(result: (input: Readonly<Record<string, unknown>>) => object): Promise<void>;
  /** sends a control request and waits for the answer, whatever it is */
  control(request: { subtype: string } & Record<string, unknown>): Promise<void>;
  /** ends the process, cleanly or not; the next prompt goes to another process with the same conversation */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** A scene that is recorded with a Claude Code without a terminal. */
export interface EventScene {
  /** a one-line summary of the scene */
  about: string;
  /** additions to the environment of the world */
  env?: Readonly<Record<string, string>>;
  play(stage: EventStage): Promise<void>;
}

const allow = (input: object): object => ({ behavior: 'allow', updatedInput: input });
const answers = (given: Readonly<Record<string, string>>) => (input: object) => allow({ ...input, answers: given });

/**
 * Limits of five hours and seven days belong to a subscription. Claude Code (2.1.329) reads them only with a
 * subscription's token.
 */
const SUBSCRIBER = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'stand-in' };

async function turn(stage: EventStage, text: string): Promise<void> {
  await stage.prompt(text);
  await stage.untilIdle();
}

/**
 * Every scene of `npm run record -- --events`. Prompts name the scene that the stand-in plays. A slash command is
 * handled by Claude Code itself.
 */
export const EVENT_SCENES: Readonly<Record<string, EventScene>> = {
  hello: {
    about: 'a turn, and another one in a process that resumes the conversation',
    play: async (stage) => {
      await turn(stage, 'scene:hello one');
      await stage.end('SIGTERM');
      await turn(stage, 'scene:tools two');
    },
  },
  killed: {
    about:
      'a turn, one in whose middle the process is killed, and another one in a process that resumes the conversation',
    play: async (stage) => {
      await turn(stage, 'scene:hello one');
      await turn(stage, 'scene:hello two');
      await stage.prompt('scene:long three');
      await stage.until('an answer is written', isPieceOfAnswer);
      await stage.end('SIGKILL');
      await turn(stage, 'scene:hello four');
    },
  },
  permission: {
    about: 'a permission that is given, and one that is refused',
    play: async (stage) => {
      await stage.prompt('scene:permission one');
      await stage.answer(allow);
      await stage.untilIdle();
      await stage.prompt('scene:permission two');
      await stage.answer(() => ({ behavior: 'deny', message: 'no, leave it' }));
      await stage.untilIdle();
    },
  },
  question: {
    about: 'a question with options',
    play: async (stage) => {
      await stage.prompt('scene:ask one');
      await stage.answer(answers({ 'Which database shall the service use?': 'PostgreSQL' }));
      await stage.untilIdle();
    },
  },
  questions: {
    about: 'two questions at once, one of them with several answers',
    play: async (stage) => {
      await stage.prompt('scene:ask-multi please');
      await stage.answer(
        answers({ 'Which language shall the client be in?': 'Go', 'Which platforms matter?': 'Linux, macOS' }),
      );
      await stage.untilIdle();
    },
  },
  plan: {
    about: 'what can be asked of it, one that it does not know, and a plan that is approved',
    play: async (stage) => {
      await stage.control({ subtype: 'initialize' });
      await stage.control({ subtype: 'set_permission_mode', mode: 'plan' });
      await stage.control({ subtype: 'set_model', model: 'claude-opus-5-5' });
      await stage.control({ subtype: 'nonsense' });
      await stage.prompt('scene:plan one');
      await stage.answer(allow);
      await stage.untilIdle();
    },
  },
  tools: {
    about: 'reasoning, and a command that runs for some seconds',
    play: async (stage) => {
      await turn(stage, 'scene:think please');
      await turn(stage, 'scene:tools please');
    },
  },
  interrupt: {
    about: 'an interrupt, with a prompt in the queue that runs then',
    play: async (stage) => {
      await stage.prompt('scene:long one');
      await stage.until('an answer is written', isPieceOfAnswer);
      await stage.prompt('scene:hello queued');
      await stage.until('it is queued', (event) => event.type === 'command_lifecycle' && event.state === 'queued');
      await stage.control({ subtype: 'interrupt' });
      await stage.untilIdle();
    },
  },
  error: {
    about: 'a request that the service refuses, and a turn that ends with a question in words',
    play: async (stage) => {
      await turn(stage, 'scene:fail one');
      await turn(stage, 'scene:query two');
    },
  },
  compact: {
    about: 'a conversation that is compacted, and continues',
    play: async (stage) => {
      await turn(stage, 'scene:hello before');
      await turn(stage, '/compact');
      await turn(stage, 'scene:hello after');
    },
  },
  limit: {
    about: 'limits of the account: nearly reached, then reached',
    env: SUBSCRIBER,
    play: async (stage) => {
      await turn(stage, 'scene:limit-near one');
      await turn(stage, 'scene:limit two');
    },
  },
  overloaded: {
    about: 'a service that is overloaded twice, then answers',
    play: (stage) => turn(stage, 'scene:overloaded please'),
  },
};

function isPieceOfAnswer({ type, event }: ClaudeEvent): boolean {
  return type === 'stream_event' && (event as { type?: unknown }).type === 'content_block_delta';
}
