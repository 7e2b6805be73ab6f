import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  admit,
  createTickets,
  type FounderBook,
  grantedRights,
  isInboxOf,
  missingRights,
  natsConfig,
  nextAnchor,
  versionGap,
  withName,
  withoutExpired,
  withoutInvitation,
  withoutMember,
  writtenAt,
} from '../../../src/core/machines/index.ts';
import { MACHINE_CALLS, type MachineCall, RIGHTS, type Right, splitRemoteName } from '../../../src/protocol/index.ts';

describe('the rights that a call needs', () => {
  const ROWS: readonly [MachineCall, readonly Right[]][] = [
    [{ route: 'getSession' }, ['see']],
    [{ route: 'answer', body: { choice: 'yes' } }, ['answer']],
    // A text reaches Claude like a prompt.
    [{ route: 'answer', body: { choice: 'no', text: 'delete everything instead' } }, ['answer', 'type']],
    [{ route: 'answer', body: { text: 'delete everything' } }, ['answer', 'type']],
    [{ route: 'answer', body: { answers: { 'Which one?': 'delete everything' } } }, ['answer', 'type']],
    [{ route: 'send', body: { text: 'hello' } }, ['type']],
    // A forced text goes into an open dialog.
    [{ route: 'send', body: { text: '1', force: true } }, ['answer', 'type']],
    [{ route: 'interrupt' }, ['type']],
    [{ route: 'restartSession' }, ['launch']],
    [{ route: 'killSession' }, ['end']],
  ];
  test.each(ROWS)('%j needs %j, and all of them', (call, needed) => {
    expect(missingRights(call, needed)).toEqual([]);
    expect([...missingRights(call, [])].sort()).toEqual([...needed].sort());
    const others = RIGHTS.filter((right) => !needed.includes(right));
    expect(missingRights(call, others)).not.toEqual([]);
  });

  test('every call needs a right, and is granted only what both sides grant', () => {
    for (const route of MACHINE_CALLS) expect(missingRights({ route }, [])).not.toEqual([]);
    expect(grantedRights(['see', 'type'], ['type', 'end'])).toEqual(['type']);
    for (const right of RIGHTS) expect([...grantedRights([right], []), ...grantedRights([], [right])]).toEqual([]);
  });
});

describe('who is admitted', () => {
  const book: FounderBook = {
    members: [{ id: 'F', name: 'desk', rights: [...RIGHTS] }],
    invitations: [{ id: 'I', rights: ['see'], expiresAt: 1_000 }],
    tunnels: [],
  };
  const asked = { invitation: 'I', id: 'M', name: 'laptop', now: 999 };

  test('a machine with an open invitation, with its rights, and nobody after it', () => {
    const first = admit(book, asked);
    expect(first).toMatchObject({ outcome: 'admitted', member: { id: 'M', name: 'laptop', rights: ['see'] } });
    if (first.outcome !== 'admitted') throw new Error('refused');
    expect(admit(first.book, { ...asked, id: 'N', name: 'other' })).toEqual({
      outcome: 'refused',
      because: 'invalid_invitation',
    });
    expect(withoutMember(first.book, 'M').members).toEqual(book.members);
  });

  test.each([
    ['the time is over', { ...asked, now: 1_000 }, 'invalid_invitation'],
    ['there is no such invitation', { ...asked, invitation: 'J' }, 'invalid_invitation'],
    ['the key is that of a member, which would gain rights', { ...asked, id: 'F' }, 'invalid_invitation'],
    ['the name is taken', { ...asked, name: 'desk' }, 'machine_name_taken'],
  ] as const)('nobody if %s', (_, request, because) => {
    expect(admit(book, request)).toEqual({ outcome: 'refused', because });
  });

  test('a new name changes nothing else, and no two machines have the same', () => {
    const two: FounderBook = { ...book, members: [...book.members, { id: 'M', name: 'laptop', rights: ['see'] }] };
    expect(withName(two, 'M', 'travel')?.members).toEqual([
      ...book.members,
      { id: 'M', name: 'travel', rights: ['see'] },
    ]);
    expect(withName(two, 'M', 'laptop')).toEqual(two);
    expect(withName(two, 'M', 'desk')).toBeNull();
    expect(withName(two, 'X', 'travel')).toBeNull();
  });

  test('expired invitations are removed, the others stay', () => {
    expect(withoutExpired(book, 999)).toBe(book);
    expect(withoutExpired(book, 1_000).invitations).toEqual([]);
  });

  test('a tunnel belongs to its invitation, then to the machine that it admitted, and goes with them', () => {
    const tunnel = { destination: 'me@build', port: 20_000 };
    const tunnelled: FounderBook = { ...book, tunnels: [{ ...tunnel, owner: 'I' }] };
    expect(withoutInvitation(tunnelled, 'X').tunnels).toEqual(tunnelled.tunnels);
    expect(withoutInvitation(tunnelled, 'I')).toEqual({ ...book, invitations: [] });
    expect(withoutExpired(tunnelled, 1_000).tunnels).toEqual([]);
    const admitted = admit(tunnelled, asked);
    if (admitted.outcome !== 'admitted') throw new Error('refused');
    expect(admitted.book.tunnels).toEqual([{ ...tunnel, owner: 'M' }]);
    expect(withoutMember(admitted.book, 'M').tunnels).toEqual([]);
  });
});

describe('the configuration of the NATS server', () => {
  const config = natsConfig({
    ...{ host: '127.0.0.1', port: 4222, pidFile: '/h/p', logFile: '/h/l', certFile: '/h/c', keyFile: '/h/k' },
    founder: 'UF',
    book: {
      members: [
        { id: 'UF', name: 'desk', rights: [...RIGHTS] },
        { id: 'UM', name: 'laptop', rights: ['answer'] },
      ],
      invitations: [{ id: 'UI', rights: ['see'], expiresAt: 1 }],
      tunnels: [],
    },
  });
  const lineOf = (id: string): string => config.split('\n').find((line) => line.includes(`nkey: ${id},`)) ?? '';

  test('lets a machine ask only in its own name, and receive only its own requests', () => {
    expect(lineOf('UM')).toContain('publish: { allow: ["cbos.ask.*.UM", "cbos.rows.UM", "cbos.here.UM"] }');
    expect(lineOf('UM')).toContain(
      'subscribe: { allow: ["cbos.ask.UM.*", "cbos.here.UM", "_INBOX.UM.>", "cbos.roster.UF"] }',
    );
    expect(lineOf('UF')).toContain('"cbos.rows.*"');
    expect(lineOf('UF')).toContain('"cbos.join.*"');
  });

  test('lets an invitation ask to join, and nothing else', () => {
    expect(lineOf('UI')).toContain('publish: { allow: ["cbos.join.UI"] }, subscribe: { allow: ["_INBOX.UI.>"] } }');
    expect(lineOf('UI')).not.toContain('allow_responses');
  });

  test('an answer goes to an inbox of the asker, not to a subject that a request names', () => {
    expect(isInboxOf('_INBOX.UM.x.1', 'UM')).toBe(true);
    for (const reply of ['cbos.ask.UB.UA', '_INBOX.UMX.1', '_INBOX.UM', '', undefined]) {
      expect(isInboxOf(reply, 'UM')).toBe(false);
    }
  });
});

describe('the age of a message', () => {
  const millis = fc.integer({ min: 0, max: 1_000_000_000 });

  test('is never shown as less than it is, whatever the clocks and delays are', () => {
    fc.assert(
      fc.property(
        ...[millis, millis, millis, millis, fc.integer({ min: -1_000_000, max: 1_000_000 })],
        (askedMs, untilTaken, untilWritten, onItsWay, theirOffset) => {
          // All times are on our clock. The other machine's clock is ahead of ours by its offset.
          const takenMs = askedMs + untilTaken;
          const writtenMs = takenMs + untilWritten;
          const anchor = nextAnchor({ boot: 'b', at_ms: takenMs + theirOffset }, null, askedMs);
          const told = writtenAt({ boot: 'b', at_ms: writtenMs + theirOffset }, anchor, writtenMs + onItsWay);
          expect(told).not.toBeNull();
          expect(told ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(writtenMs);
        },
      ),
    );
  });

  test('is unknown after a restart of the other machine, until it answers', () => {
    const anchor = nextAnchor({ boot: 'one', at_ms: 5 }, null, 10);
    expect(writtenAt({ boot: 'two', at_ms: 6 }, anchor, 20)).toBeNull();
    expect(nextAnchor({ boot: 'two', at_ms: 1 }, anchor, 30)).toEqual({ boot: 'two', theirMs: 1, oursMs: 30 });
    // A slow answer is less exact than a quick one before it.
    expect(nextAnchor({ boot: 'one', at_ms: 100 }, anchor, 50)).toBe(anchor);
  });
});

test.each([
  [{ v: 2, minor: 5 }, 'none'],
  [{ v: 2, minor: 4 }, 'none'],
  [{ v: 2, minor: 6 }, 'none'],
  [{ v: 2, minor: 3 }, 'older'],
  [{ v: 2, minor: 7 }, 'newer'],
  [{ v: 1, minor: 5 }, 'older'],
  [{ v: 3, minor: 5 }, 'newer'],
] as const)('compared with version 2.5, %j is %s', (other, gap) => {
  expect(versionGap({ v: 2, minor: 5 }, other)).toBe(gap);
});

describe('a ticket', () => {
  let now = 0;
  let made = 0;
  const makeName = (): string => {
    made += 1;
    return `t${made}`;
  };
  const tickets = createTickets({ elapsed: () => now, makeName });

  test('is valid once, for the machine that got it, for five seconds', () => {
    const one = tickets.issue('A') ?? '';
    expect(tickets.use('B', one)).toBe(false);
    expect(tickets.use('A', one)).toBe(true);
    expect(tickets.use('A', one)).toBe(false);
    const late = tickets.issue('A') ?? '';
    now += 5_000;
    expect(tickets.use('A', late)).toBe(false);
  });

  test('is not issued to a machine that holds too many', () => {
    const given = Array.from({ length: 100 }, () => tickets.issue('C')).filter((ticket) => ticket !== null);
    expect(given).toHaveLength(64);
    expect(tickets.issue('D')).not.toBeNull();
    now += 5_000;
    expect(tickets.issue('C')).not.toBeNull();
  });
});

test.each([
  ['desk/AUTH', { machine: 'desk', slug: 'AUTH' }],
  ['AUTH', null],
  ['/AUTH', null],
  ['desk/', null],
  ['a/b/c', null],
  ['../x', null],
  ['desk/-x', null],
])('%j is the name of a session elsewhere, or is not', (text, parts) => {
  expect(splitRemoteName(text)).toEqual(parts);
});
