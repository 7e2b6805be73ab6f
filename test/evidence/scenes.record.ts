import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { claudeWorld, testedVersion } from '../harness/claude.ts';
import { startTimeline, type Timeline } from './timeline.ts';

const FOLDER = fileURLToPath(new URL(`../fixtures/evidence/${testedVersion()}/`, import.meta.url));
const ESCAPE = '\x1b';

interface Play {
  trusted?: boolean;
  permissionMode?: 'plan';
  alternateScreen?: boolean;
  play(timeline: Timeline): Promise<void>;
}

const toPrompt = async (timeline: Timeline): Promise<void> => {
  await timeline.waitForHook('SessionStart');
  await timeline.session.waitForScreen(/❯/);
  await timeline.rest(500);
};
const turn = async (timeline: Timeline, scene: string): Promise<void> => {
  await toPrompt(timeline);
  await timeline.prompt(`Please go on with scene:${scene}`);
};
/** Waits a while after the last change, so that the recording shows what stays. */
const settle = (timeline: Timeline): Promise<void> => timeline.rest(1_000);

const untilDialog = async (timeline: Timeline, pattern: RegExp): Promise<void> => {
  await timeline.session.waitForScreen(pattern);
  await timeline.rest(1_000);
};

/** Plays one turn that ends on its own. */
const simple = (scene: string, end = 'Stop'): Play => ({
  play: async (timeline) => {
    await turn(timeline, scene);
    await timeline.waitForHook(end);
    await settle(timeline);
  },
});

const PLAYS: Record<string, Play> = {
  hello: simple('hello'),
  think: simple('think'),
  slow: simple('slow'),
  treacherous: simple('treacherous'),
  query: simple('query'),
  errtext: simple('errtext'),
  read: simple('read'),
  tools: simple('tools'),
  fail: simple('fail', 'StopFailure'),
  credit: simple('credit', 'StopFailure'),
  overloaded: simple('overloaded'),
  'permission-yes': {
    play: async (timeline) => {
      await turn(timeline, 'permission');
      await untilDialog(timeline, /Do you want to proceed/);
      await timeline.press('yes', '1');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
  'permission-no': {
    play: async (timeline) => {
      await turn(timeline, 'permission');
      await untilDialog(timeline, /Do you want to proceed/);
      const last = [...timeline.session.screenText().matchAll(/^\s*(?:❯ )?(\d)\. No/gm)].at(-1)?.[1];
      expect(last).toBeDefined();
      await timeline.press('no', last ?? '');
      await timeline.waitForRegistry('idle');
      await settle(timeline);
    },
  },
  'permission-escape': {
    play: async (timeline) => {
      await turn(timeline, 'permission');
      await untilDialog(timeline, /Do you want to proceed/);
      await timeline.press('escape', ESCAPE);
      await timeline.waitForRegistry('idle');
      await settle(timeline);
    },
  },
  'permission-waits': {
    play: async (timeline) => {
      await turn(timeline, 'permission');
      await untilDialog(timeline, /Do you want to proceed/);
      await timeline.waitForHook('Notification');
      await settle(timeline);
    },
  },
  'permission-twice': {
    play: async (timeline) => {
      await turn(timeline, 'permission-twice');
      await untilDialog(timeline, /first\.txt[\s\S]*Do you want to proceed/);
      await timeline.press('yes', '1');
      await untilDialog(timeline, /second\.txt[\s\S]*Do you want to proceed/);
      await timeline.press('yes', '1');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
  write: {
    play: async (timeline) => {
      await turn(timeline, 'write');
      await untilDialog(timeline, /Do you want to create/);
      await timeline.press('yes', '1');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
  ask: {
    play: async (timeline) => {
      await turn(timeline, 'ask');
      await untilDialog(timeline, /Which database/);
      await timeline.press('second option', '2');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
  'ask-escape': {
    play: async (timeline) => {
      await turn(timeline, 'ask');
      await untilDialog(timeline, /Which database/);
      await timeline.press('escape', ESCAPE);
      await timeline.waitForRegistry('idle');
      await settle(timeline);
    },
  },
  'ask-multi': {
    play: async (timeline) => {
      await turn(timeline, 'ask-multi');
      await untilDialog(timeline, /Which language/);
      await timeline.press('second language', '2');
      await untilDialog(timeline, /Which platforms/);
      await timeline.press('first platform', '1');
      await timeline.rest(300);
      await timeline.press('third platform', '3');
      await timeline.rest(300);
      await timeline.press('next tab', '\x1b[C');
      await untilDialog(timeline, /Submit/);
      await timeline.press('submit', '1');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
  plan: {
    permissionMode: 'plan',
    play: async (timeline) => {
      await turn(timeline, 'plan');
      await untilDialog(timeline, /Would you like to proceed|Exit plan mode/);
      await timeline.press('first option', '1');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
  'plan-empty': {
    permissionMode: 'plan',
    play: async (timeline) => {
      await turn(timeline, 'plan-empty');
      await untilDialog(timeline, /Exit plan mode/);
      await timeline.press('no', '2');
      await timeline.waitForRegistry('idle');
      await settle(timeline);
    },
  },
  'interrupt-early': {
    play: async (timeline) => {
      await turn(timeline, 'silent');
      await timeline.waitForHook('UserPromptSubmit');
      await timeline.rest(1_500);
      await timeline.press('escape', ESCAPE);
      await timeline.waitForRegistry('idle');
      await settle(timeline);
      await timeline.press('clear the box', '\x03');
      await settle(timeline);
    },
  },
  'interrupt-late': {
    play: async (timeline) => {
      await turn(timeline, 'long');
      await timeline.session.waitForScreen(/10\. This is line/);
      await timeline.press('escape', ESCAPE);
      await timeline.waitForRegistry('idle');
      await settle(timeline);
    },
  },
  'interrupt-tool': {
    play: async (timeline) => {
      await turn(timeline, 'tools');
      await timeline.waitForHook('PreToolUse');
      await timeline.rest(1_000);
      await timeline.press('escape', ESCAPE);
      await timeline.waitForRegistry('idle');
      await settle(timeline);
    },
  },
  queued: {
    play: async (timeline) => {
      await turn(timeline, 'tools');
      await timeline.waitForHook('PreToolUse');
      await timeline.prompt('And then scene:hello please');
      await timeline.waitForHook('Stop');
      await timeline.rest(2_000);
    },
  },
  draft: {
    play: async (timeline) => {
      await toPrompt(timeline);
      await timeline.press('half a text', 'half a text');
      await settle(timeline);
    },
  },
  compact: {
    play: async (timeline) => {
      await turn(timeline, 'hello');
      await timeline.waitForHook('Stop');
      await timeline.rest(500);
      await timeline.prompt('/compact');
      await timeline.waitForHook('PreCompact');
      await timeline.waitForHook('PostCompact');
      await settle(timeline);
    },
  },
  'model-picker': {
    play: async (timeline) => {
      await toPrompt(timeline);
      await timeline.prompt('/model');
      await untilDialog(timeline, /Select [Mm]odel/);
      await timeline.press('escape', ESCAPE);
      await settle(timeline);
    },
  },
  exit: {
    play: async (timeline) => {
      await toPrompt(timeline);
      await timeline.prompt('/exit');
      await timeline.waitForHook('SessionEnd');
      await settle(timeline);
    },
  },
  killed: {
    play: async (timeline) => {
      await turn(timeline, 'long');
      await timeline.session.waitForScreen(/3\. This is line/);
      process.kill(timeline.session.pid, 'SIGKILL');
      await settle(timeline);
    },
  },
  'trust-yes': {
    trusted: false,
    play: async (timeline) => {
      await untilDialog(timeline, /trust/);
      // The marker is on "No, exit" at first, and the options have no numbers.
      await timeline.press('down', '\x1b[B');
      await timeline.rest(300);
      await timeline.press('enter', '\r');
      await timeline.waitForHook('SessionStart');
      await settle(timeline);
    },
  },
  'trust-no': {
    trusted: false,
    play: async (timeline) => {
      await untilDialog(timeline, /trust/);
      await timeline.press('enter', '\r');
      await settle(timeline);
    },
  },
  'alternate-screen': {
    alternateScreen: true,
    play: async (timeline) => {
      await turn(timeline, 'permission');
      await untilDialog(timeline, /Do you want to proceed/);
      await timeline.press('yes', '1');
      await timeline.waitForHook('Stop');
      await settle(timeline);
    },
  },
};

for (const [name, { play, trusted, ...launch }] of Object.entries(PLAYS)) {
  test(name, async () => {
    await using world = await claudeWorld(trusted === undefined ? {} : { trusted });
    const timeline = await startTimeline({ world, scene: name, file: join(FOLDER, `${name}.jsonl`), ...launch });
    try {
      await play(timeline);
    } finally {
      timeline.finish();
    }
  });
}
