import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredFile } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

/** Returns the last request of a turn, with everything that the model was told. */
const lastTold = (): string =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null));
const filesOf = async (slug: string): Promise<StoredFile[]> =>
  (await cbos.call<StoredFile[]>('GET', `/sessions/${slug}/files`)).body;

test.each(['screen', 'json'] as const)(
  'a %s session gets an image and a text, and the model receives both',
  async (type) => {
    const slug = type.toUpperCase();
    writeFileSync(join(world.dir, 'my notes.txt'), `the secret word is plumbago-${type}\n`);
    const png = somePng();
    writeFileSync(join(world.dir, 'shot.png'), png);
    await cbos.cli(['new', slug, world.projectDir, '--type', type]);
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is ready');
    const files = ['--file', join(world.dir, 'my notes.txt'), '--file', join(world.dir, 'shot.png')];
    const sent = await cbos.cli(['send', slug, 'scene:hello what do you see?', ...files, '--wait']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    const stored = await filesOf(slug);
    expect(stored.map(({ name }) => name)).toEqual(['my-notes.txt', 'shot.png']);
    const told = lastTold();
    expect(told).toContain(`plumbago-${type}`);
    expect(told).toMatch(/"type":"image","source":\{"type":"base64"/);
    for (const { path } of stored) expect(told).toContain(path);

    // A rename keeps the files, and deleting the session deletes them.
    await cbos.cli(['rename', slug, `${slug}-2`]);
    expect(await filesOf(`${slug}-2`)).toEqual(stored);
    expect((await cbos.cli(['rm', `${slug}-2`, '--yes'])).code).toBe(0);
    expect(stored.filter(({ path }) => existsSync(path))).toEqual([]);
  },
);

/** Returns a red square of 16 × 16 pixels. */
function somePng(): Buffer {
  const size = 16;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3, Buffer.from([255, 0, 0]))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(kind), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
