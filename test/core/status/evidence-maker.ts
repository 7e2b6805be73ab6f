import {
  type Evidence,
  type HookEvent,
  type HookEvidence,
  NO_HOOKS,
  observeHook,
  observeScreen,
  type RegistryEvidence,
  type ScreenEvidence,
  type ScreenFrame,
} from '../../../src/core/status/index.ts';

const COLS = 80;
const ROWS = 24;
export const RULE = '─'.repeat(COLS);

/** Returns a frame with these lines at its top. */
export function frame(lines: readonly string[], options: Partial<ScreenFrame> = {}): ScreenFrame {
  const blank = Array.from({ length: Math.max(0, ROWS - lines.length) }, () => '');
  return {
    lines: [...lines, ...blank],
    cursor: { row: lines.length, col: 0 },
    cols: COLS,
    rows: ROWS,
    dimRows: [],
    ...options,
  };
}

const prompt = (draft = '', footer = '  ⏸ manual mode on · ? for shortcuts'): string[] => [
  RULE,
  `❯ ${draft}`,
  RULE,
  footer,
];

/** Frames as 2.1.329 draws them. */
export const FRAMES = {
  blank: frame([]),
  fresh: frame([' ▐▛███▛█   Claude Code v2.1.329', '', ...prompt()]),
  help: frame([
    '❯ /help',
    '',
    RULE,
    '  Help  General   Commands',
    '',
    '  Shortcuts',
    '',
    '  ←/→ to switch · Esc to close',
  ]),
  idle: frame(['❯ go on', '', '● Done as asked.', '', '✻ Worked for 2s · done 3:08 PM', '', ...prompt()]),
  thinking: frame(['❯ go on', '', '✻ Brewing…', '', ...prompt('', '  esc to interrupt')]),
  responding: frame([
    '❯ go on',
    '',
    '● Done as',
    '',
    '✻ Brewing… (2s · ↓ 4 tokens)',
    '',
    ...prompt('', '  esc to interrupt'),
  ]),
  tool: frame([
    '❯ go on',
    '',
    '● Bash(npm test)',
    '  ⎿  Running…',
    '',
    '✻ Brewing… (2s)',
    '',
    ...prompt('', '  esc to interrupt'),
  ]),
  compacting: frame(['❯ /compact', '', '✻ Compacting conversation… (2s)', '', ...prompt('', '  esc to interrupt')]),
  permission: frame([
    '❯ go on',
    '',
    '● Bash(npm test)',
    '',
    RULE,
    ' Bash command',
    ' npm test',
    ' Do you want to proceed?',
    ' ❯ 1. Yes',
    '   2. Yes, and don’t ask again for npm test',
    '      commands in /home/user/project',
    '   3. No',
    '',
    ' Esc to cancel · Tab to amend',
  ]),
  trust: frame([
    RULE,
    ' Accessing workspace:',
    '',
    ' /home/user/project',
    '',
    ' ❯ No, exit',
    '   Yes, I trust this folder',
    '',
    ' Enter to confirm · Esc to cancel',
  ]),
} as const;

/** Returns screen evidence folded from frames at their times. */
export function screenOf(...frames: readonly [at: number, frame: ScreenFrame][]): ScreenEvidence | null {
  return frames.reduce<ScreenEvidence | null>((seen, [at, shown]) => observeScreen(seen, shown, at), null);
}

/** Returns a hook event. Its payload is that of Claude Code, without the usual fields. */
export const hook = (at: number, event: string, payload: Record<string, unknown> = {}): HookEvent => ({
  at,
  event,
  payload,
});

export const bash = (id: string, command = 'npm test'): Record<string, unknown> => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: id,
});

/** Returns hook evidence folded from events. */
export const hooksOf = (...events: readonly HookEvent[]): HookEvidence => events.reduce(observeHook, NO_HOOKS);

export const registryOf = (
  status: RegistryEvidence['status'],
  statusUpdatedAt: number | null,
  waitingFor: string | null = null,
): RegistryEvidence => ({ status, waitingFor, statusUpdatedAt, sessionId: null, readAt: statusUpdatedAt ?? 0 });

/** Returns the evidence of a live process, with the given parts. */
export const evidenceOf = (given: Partial<Evidence>): Evidence => ({
  process: { alive: true, startedAt: 0, endedAt: null },
  screen: null,
  hooks: NO_HOOKS,
  registry: null,
  ...given,
});
