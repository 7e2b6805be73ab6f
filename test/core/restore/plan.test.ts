import { describe, expect, test } from 'vitest';
import { restoresAtOnce } from '../../../src/core/restore/pace.ts';
import { MOST_TRIES, planRestore, type RestoreSeen } from '../../../src/core/restore/plan.ts';

const LOST: RestoreSeen = {
  type: 'screen',
  isDead: true,
  isParked: false,
  isAdopted: true,
  loss: 'reboot',
  tries: 0,
  isByItself: false,
  folder: 'there',
  isRepeatable: true,
  isShared: false,
  isOpen: false,
  hasConversation: true,
  isGone: false,
  wasBlank: false,
};

describe('a lost session', () => {
  test('comes back with its conversation', () => {
    expect(planRestore(LOST)).toEqual({ kind: 'resume' });
    expect(planRestore({ ...LOST, wasBlank: true })).toEqual({ kind: 'resume' });
    expect(planRestore({ ...LOST, isRepeatable: false })).toEqual({ kind: 'resume' });
  });

  test('is launched as new only if no conversation had begun', () => {
    expect(planRestore({ ...LOST, hasConversation: false, wasBlank: true })).toEqual({ kind: 'anew' });
    expect(planRestore({ ...LOST, hasConversation: false })).toEqual({ kind: 'left', because: 'no_conversation' });
  });

  test.each<[RestoreSeen['loss'], Partial<RestoreSeen>, string]>([
    ['reboot', { isDead: false }, 'running'],
    ['reboot', { isParked: true }, 'parked'],
    [null, { type: 'json', isDead: false }, 'json'],
    [null, { type: 'json' }, 'ended'],
    [null, {}, 'ended'],
    ['reboot', { isAdopted: false }, 'observed'],
    ['reboot', { folder: 'gone' }, 'folder_gone'],
    ['reboot', { folder: 'worktree_gone' }, 'worktree_gone'],
    ['reboot', { hasConversation: false, wasBlank: true, isRepeatable: false }, 'own_arguments'],
    ['reboot', { hasConversation: false, isRepeatable: false }, 'own_arguments'],
    ['reboot', { hasConversation: false, isGone: true, wasBlank: true, isRepeatable: false }, 'no_conversation'],
    ['reboot', { isShared: true }, 'shared'],
    ['reboot', { isOpen: true }, 'in_use'],
    ['reboot', { isByItself: true, tries: MOST_TRIES }, 'gave_up'],
  ])('(%s) with %j is left: %s', (loss, some, because) => {
    expect(planRestore({ ...LOST, loss, ...some })).toEqual({ kind: 'left', because });
  });

  test('is tried again by a person as often as the person likes', () => {
    expect(planRestore({ ...LOST, tries: 10 })).toEqual({ kind: 'resume' });
    expect(planRestore({ ...LOST, tries: MOST_TRIES - 1, isByItself: true })).toEqual({ kind: 'resume' });
  });
});

test.each([
  [2, 0, 2],
  [2, 0.9, 1],
  [2, 20, 1],
  [8, 0.5, 3],
  [8, 6.5, 1],
  [1, 0, 1],
])('with %d cores and a load of %d, %d may be restored at the same time', (cores, load, most) => {
  expect(restoresAtOnce({ cores, load })).toBe(most);
});
