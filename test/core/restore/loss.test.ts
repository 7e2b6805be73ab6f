import { describe, expect, test } from 'vitest';
import { type EndSeen, lossOf } from '../../../src/core/restore/loss.ts';

/** All processes were killed while no server was running. Hooks had reported the session before. */
const KILLED: EndSeen = {
  isAsked: false,
  noticed: 'at_start',
  reason: null,
  hasHooks: true,
  hasRebooted: false,
  screen: 'gone',
};

describe('a session is lost', () => {
  test.each<[string, Partial<EndSeen>, string]>([
    ['whose end nothing reported', {}, 'vanished'],
    ['whose machine was restarted', { hasRebooted: true }, 'reboot'],
    ['that received the signals of a shutdown', { hasRebooted: true, reason: 'other' }, 'reboot'],
    ['without hooks, in a reboot', { hasRebooted: true, hasHooks: false }, 'reboot'],
    ['that a signal ended while no server ran', { reason: 'other' }, 'signal'],
    ['whose daemon was killed', { screen: 'killed', hasHooks: false }, 'screen_killed'],
    ['whose daemon was killed while the server ran', { screen: 'killed', noticed: 'at_once' }, 'screen_killed'],
    ['in the middle of /clear', { reason: 'clear' }, 'vanished'],
    ['that ended together with the server', { noticed: 'at_close', reason: 'other' }, 'shutdown'],
  ])('%s', (_, some, loss) => {
    expect(lossOf({ ...KILLED, ...some })).toBe(loss);
  });
});

describe('a session is not lost', () => {
  const ANY_WAY: Partial<EndSeen>[] = (['at_once', 'at_start', 'at_close'] as const).flatMap((noticed) =>
    [true, false, null].flatMap((hasRebooted) =>
      (['gone', 'killed', 'alive'] as const).map((screen) => ({ noticed, hasRebooted, screen })),
    ),
  );
  test.each<[string, Partial<EndSeen>]>([
    ['that somebody has stopped, deleted or parked', { isAsked: true }],
    ['that a person left with /exit', { reason: 'prompt_input_exit' }],
    ['that ended for a reason of a later version', { reason: 'of_a_later_version' }],
  ])('%s, however it was noticed', (_, some) => {
    for (const way of ANY_WAY) expect(lossOf({ ...KILLED, ...way, ...some })).toBeNull();
  });

  test.each<[string, Partial<EndSeen>]>([
    ['that the server saw end', { noticed: 'at_once' }],
    ['that the server saw end by a signal', { noticed: 'at_once', reason: 'other' }],
    ['whose Screen session is still running', { screen: 'alive' }],
    ['that has no hooks, and may have been left', { hasHooks: false }],
    ['that has no hooks, in an unknown boot', { hasHooks: false, hasRebooted: null }],
  ])('%s', (_, some) => {
    expect(lossOf({ ...KILLED, ...some })).toBeNull();
  });
});
