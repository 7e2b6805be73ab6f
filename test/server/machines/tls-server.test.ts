import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  hasNatsServer,
  invite,
  type MachineUnderTest,
  startMachine,
  stopMachines,
  untilConnected,
} from '../../harness/fleet.ts';
import { type NatsOperator, startNatsOperator } from '../../harness/nats-operator.ts';
import { asking, DONE } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

const RIGHTS = ['see', 'answer', 'type'] as const;

interface Refused {
  code: string;
  message: string;
  hint: string;
}

describe.skipIf(!hasNatsServer)('a fleet on a NATS server with TLS and JWTs that somebody else runs', () => {
  let world: World;
  let operator: NatsOperator;
  let address: string;
  let desk: MachineUnderTest;
  let laptop: MachineUnderTest;
  beforeAll(async () => {
    world = createWorld();
    operator = await startNatsOperator(world);
    [address, desk, laptop] = await Promise.all([operator.start(), startMachine('desk'), startMachine('laptop')]);
  }, 60_000);
  afterAll(async () => {
    await stopMachines(laptop, desk);
    await world.dispose();
  });
  afterEach(async () => {
    for (const machine of [laptop, desk]) {
      if ((await machine.fleet()).fleet !== null) await machine.call('/fleet/leave', { method: 'POST' });
    }
  });

  const isUntouched = ({ world: { cbosHome } }: MachineUnderTest): boolean => !existsSync(join(cbosHome, 'fleet'));

  async function refusal(machine: MachineUnderTest, path: string, body: object): Promise<Refused> {
    const answer = await machine.call(path, { body: { name: machine.name, ...body } });
    const { error } = answer.json() as { error?: Refused };
    if (error === undefined) throw new Error(`not refused: ${answer.text}`);
    expect((await machine.fleet()).fleet).toBeNull();
    expect(isUntouched(machine)).toBe(true);
    return error;
  }

  async function foundFleet(credentials = operator.credentials(), authority = operator.authority): Promise<void> {
    const body = { name: 'desk', nats: address, credentials, authority };
    const answer = await desk.call('/fleet/init', { body });
    if (answer.status !== 201) throw new Error(answer.text);
    await untilConnected(desk);
  }

  test.each([
    ['an authority that the machine does not know', 'good', null, 'nats_untrusted', /--ca FILE/],
    ['another authority than the one that was named', 'good', 'other', 'nats_untrusted', /did not sign it/],
    ['a certificate for another name', 'other name', 'own', 'nats_untrusted', /valid for DNS:nats\.example/],
    ['an expired certificate', 'expired', 'own', 'nats_untrusted', /has expired.*Renew/s],
    ['a server that wants a certificate of the machine', 'wants a certificate', 'own', 'nats_unusable', /`verify` off/],
    ['a server without TLS', 'without TLS', 'own', 'nats_untrusted', /does not use TLS/],
  ] as const)('is not founded with %s', async (_, kind, named, code, text) => {
    const at = (kind === 'good' ? address : await operator.start(kind)).replace('nats:', 'tls:');
    const authority =
      named === null ? {} : { authority: named === 'own' ? operator.authority : operator.otherAuthority };
    const refused = await refusal(desk, '/fleet/init', { nats: at, credentials: operator.credentials(), ...authority });
    expect(refused).toMatchObject({ code });
    expect(`${refused.message} ${refused.hint}`).toMatch(text);
  });

  test('names the cure for credentials and authorities that are of no use, and founds nothing', async () => {
    const own = { nats: address, authority: operator.authority };
    const whole = operator.credentials();
    const revoked = operator.credentials();
    operator.revoke(revoked);
    await operator.startAgain(address);
    const narrow = (subject: string) =>
      operator.credentials({ publish: ['cbos.>', '_INBOX.>', '$JS.API.>'].filter((one) => one !== subject) });
    for (const [body, code, text] of [
      [{ credentials: operator.credentials({ isPlain: true }) }, 'nats_unusable', /JetStream.*Enable JetStream/s],
      [{ credentials: narrow('cbos.>') }, 'nats_unusable', /do not permit sending on cbos\.ask/],
      [{ credentials: narrow('_INBOX.>') }, 'nats_unusable', /do not permit sending on _INBOX/],
      [{ credentials: narrow('$JS.API.>') }, 'nats_unusable', /do not permit sending on \$JS\.API/],
      [
        { credentials: operator.credentials({ subscribe: ['_INBOX.>'] }) },
        'nats_unusable',
        /do not permit listening on cbos/,
      ],
      [
        { credentials: operator.credentials({ subscribe: ['cbos.>'] }) },
        'nats_unusable',
        /do not permit listening on _INBOX/,
      ],
      [{ credentials: revoked }, 'nats_unreachable', /refuses the credentials.*revoked.*nsc generate creds/s],
      [
        { credentials: operator.credentials({ expiresInS: -60 }) },
        'nats_unreachable',
        /expired on 20.*Create new ones/s,
      ],
      [{}, 'nats_unreachable', /refuses the credentials.*--credentials FILE/s],
      [{ credentials: whole.slice(0, whole.indexOf('-----BEGIN USER NKEY')) }, 'invalid_setting', /--credentials FILE/],
      [{ credentials: whole.replace(/eyJ\S+/, 'eyJ') }, 'invalid_setting', /--credentials FILE/],
      [{ credentials: whole, authority: 'hello' }, 'invalid_setting', /--ca FILE/],
      [{ credentials: whole, nats: address.replace('tls:', 'nats:') }, 'invalid_setting', /tls:\/\/HOST:PORT/],
    ] as const) {
      const refused = await refusal(desk, '/fleet/init', { ...own, ...body });
      expect({ text, code: refused.code }).toEqual({ text, code });
      expect(`${refused.message} ${refused.hint}`).toMatch(text);
    }
    // A server that uses TLS is noticed even if its address begins with nats://.
    const plain = { nats: address.replace('tls:', 'nats:'), credentials: whole };
    expect(await refusal(desk, '/fleet/init', plain)).toMatchObject({
      ...{ code: 'nats_untrusted', hint: expect.stringContaining('tls://HOST:PORT') },
    });
  });

  test('carries the whole story: found, invite, join, list, answer, send, remove', async () => {
    // Lines that end as on Windows do no harm.
    await foundFleet(operator.credentials().replaceAll('\n', '\r\n'));
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: RIGHTS } });
    const line = await invite(desk, RIGHTS);
    // The invitation contains the authority, but no credentials.
    const joined = await laptop.call('/fleet/join', {
      body: { line, name: 'laptop', allow: RIGHTS, credentials: operator.credentials() },
    });
    expect({ status: joined.status, text: joined.text }).toMatchObject({ status: 200 });
    await untilConnected(laptop);
    laptop.sessions.add('READY', DONE);
    laptop.sessions.add('ASKS', asking());
    await waitFor(async () => (await desk.sees('laptop')).sessions.length === 2, { describe: 'the laptop is seen' });
    expect((await desk.ask('laptop', 'answer', 'ASKS', { choice: 'yes' })).status).toBe(200);
    expect((await desk.ask('laptop', 'send', 'READY', { text: 'hello' })).status).toBe(200);
    expect(laptop.sessions.deliveries('READY')).toHaveLength(1);
    // What the machines keep is readable only by their user.
    for (const { world: of } of [desk, laptop]) {
      const file = join(of.cbosHome, 'fleet/machine.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(file, 'utf8')).shared).toMatchObject({
        isTls: true,
        authority: operator.authority,
      });
    }
    // Both connect again with what they have kept.
    await operator.startAgain(address);
    await untilConnected(desk);
    await untilConnected(laptop);
    expect((await desk.call('/fleet/remove', { body: { machine: 'laptop' } })).status).toBe(200);
    await waitFor(async () => (await laptop.fleet()).fleet?.fault?.includes('no longer in the fleet') === true, {
      describe: 'the removed machine says why',
    });
    await laptop.sessions.remove('READY');
    await laptop.sessions.remove('ASKS');
  });

  test('refuses a machine that joins with credentials of no use, and the invitation remains valid', async () => {
    await foundFleet();
    const line = await invite(desk, ['see']);
    const body = { line, allow: ['see'] };
    for (const [credentials, code, text] of [
      [undefined, 'nats_unreachable', /--credentials FILE/],
      [operator.credentials({ expiresInS: -60 }), 'nats_unreachable', /expired on/],
      [operator.credentials({ isPlain: true }), 'machine_unreachable', /another account/],
      [operator.credentials({ publish: ['_INBOX.>', '$JS.API.>'] }), 'nats_unusable', /sending on cbos\.join/],
      [operator.credentials({ subscribe: ['cbos.>'] }), 'nats_unusable', /listening on _INBOX/],
      ['hello', 'invalid_setting', /--credentials FILE/],
    ] as const) {
      const refused = await refusal(laptop, '/fleet/join', {
        ...body,
        ...(credentials === undefined ? {} : { credentials }),
      });
      expect({ text, code: refused.code }).toEqual({ text, code });
      expect(`${refused.message} ${refused.hint}`).toMatch(text);
    }
    const credentials = operator.credentials();
    const wrong = { ...body, credentials, authority: operator.otherAuthority };
    expect(await refusal(laptop, '/fleet/join', wrong)).toMatchObject({ code: 'nats_untrusted' });
    expect((await laptop.call('/fleet/join', { body: { ...body, name: 'laptop', credentials } })).status).toBe(200);
  }, 60_000);

  test('takes the authority from the environment if an invitation with it would be too long to paste', async () => {
    await foundFleet(operator.credentials(), `${operator.otherAuthority.repeat(6)}${operator.authority}`);
    const line = await invite(desk, ['see']);
    expect(line.length).toBeLessThan(4_000);
    const credentials = operator.credentials();
    const refused = await refusal(laptop, '/fleet/join', { line, allow: ['see'], credentials });
    expect(refused).toMatchObject({ code: 'nats_untrusted', hint: expect.stringContaining('CBOS_FLEET_CA_FILE') });
    await laptop.stop();
    Object.assign(laptop.world.env, {
      ...{ CBOS_FLEET_INVITATION: line, CBOS_FLEET_CA_FILE: operator.authorityFile, CBOS_FLEET_NAME: 'laptop' },
      CBOS_FLEET_CREDENTIALS_FILE: operator.credentialsFile('laptop.creds', credentials),
    });
    await laptop.startAgain();
    await waitFor(async () => (await desk.fleet()).machines.length === 2, { describe: 'the laptop has joined' });
    expect(JSON.stringify(laptop.log)).not.toContain(credentials.split('\n')[1]);
    await untilConnected(laptop);
    for (const name of ['INVITATION', 'CA_FILE', 'NAME', 'CREDENTIALS_FILE']) {
      Reflect.deleteProperty(laptop.world.env, `CBOS_FLEET_${name}`);
    }
  }, 60_000);

  test('says on both machines when credentials expire or are revoked later', async () => {
    const lasting = operator.credentials();
    await foundFleet(lasting);
    const line = await invite(desk, ['see']);
    const body = { line, name: 'laptop', allow: ['see'], credentials: operator.credentials({ expiresInS: 4 }) };
    expect((await laptop.call('/fleet/join', { body })).status).toBe(200);
    const faultOf = async (machine: MachineUnderTest): Promise<string> => (await machine.fleet()).fleet?.fault ?? '';
    await waitFor(async () => (await faultOf(laptop)).includes('expired on'), {
      ...{ describe: 'the laptop says that its credentials expired', timeoutMs: 30_000, actual: () => faultOf(laptop) },
    });
    operator.revoke(lasting);
    await operator.startAgain(address);
    await waitFor(async () => (await faultOf(desk)).includes('refuses the credentials'), {
      ...{ describe: 'the desk says that its credentials were revoked', timeoutMs: 30_000 },
    });
  }, 90_000);
});
