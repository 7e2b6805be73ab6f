import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerAfter,
  answersOf,
  askingArguments,
  askingScene,
  formOf,
  untilConnected,
} from '../harness/asking-server.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

/** The kinds of fields with titles, bounds and formats, as the schema of the protocol has them. */
const DETAILS = {
  mode: 'form',
  message: 'What shall be set up?',
  requestedSchema: {
    type: 'object',
    required: ['region', 'zones', 'secret'],
    properties: {
      region: {
        type: 'string',
        oneOf: [
          { const: 'eu', title: 'Europe' },
          { const: 'us', title: 'America' },
        ],
      },
      zones: {
        type: 'array',
        minItems: 1,
        items: {
          anyOf: [
            { const: 'a', title: 'Zone A' },
            { const: 'b', title: 'Zone B' },
          ],
        },
      },
      ratio: { type: 'number', minimum: 0, maximum: 1 },
      site: { type: 'string', format: 'uri' },
      day: { type: 'string', format: 'date' },
      moment: { type: 'string', format: 'date-time' },
      secret: { type: 'string', minLength: 3 },
    },
  },
};

const TEXT = '{"type":"string"}';
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'a', 'a=b', 'a=c'];
/** A form whose names are those of parts of every object, or contain `=`. It is a text because of `__proto__`. */
const ODD = `{"mode":"form","message":"Odd?","requestedSchema":{"type":"object","properties":{${ODD_NAMES.map(
  (name) => `"${name}":${TEXT}`,
).join()}}}}`;

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  const scenes = [askingScene('details', { ask: DETAILS }), askingScene('odd', { ask: ODD })];
  const choose = (prompt: string) => scenes.find(({ name }) => prompt.includes(`scene:${name}`)) ?? null;
  world = await claudeWorld({ choosers: [choose] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

/** Returns the files below a directory that contain a text. */
function filesWith(text: string, dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter(
      (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true && readFileSync(file).includes(text),
    );
}

describe.each(['screen', 'json'])('a form with titles, bounds and formats, in a %s session', (type) => {
  const slug = `FORM-${type}`;
  const answer = (...words: string[]) => cbos.cli(['answer', slug, ...words]);

  beforeAll(async () => {
    const body = { slug, path: world.projectDir, type, args: askingArguments(world) };
    expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
    await cbos.untilStatus(slug, 'idle/ready');
    if (type === 'screen') await untilConnected(world, cbos, slug);
    expect((await cbos.cli(['send', slug, 'scene:details'])).stderr).toBe('');
    await cbos.until(slug, (session) => formOf(session) !== undefined, 'asks');
  });

  test('names every value that does not fit', async () => {
    const wrong = [
      ...['region=Asia', 'zones=c', 'ratio=2', 'site=nowhere', 'day=1 May', 'moment=noon', 'secret=ab'],
    ].flatMap((one) => ['--set', one]);
    const { code, stderr } = await answer(...wrong);
    expect(code).toBe(4);
    for (const name of ['region', 'zones', 'ratio', 'site', 'day', 'moment', 'secret'])
      expect(stderr).toContain(`${name}: `);
  });

  test('passes on the values, and CBOS itself keeps none of them', async () => {
    const secret = `only for the server of ${type}`;
    const before = answersOf(world).length;
    const given = [
      ...['region=Europe', 'zones=a,Zone B', 'ratio=0.5', 'site=https://example.org/', 'day=2026-12-01'],
      ...['moment=2026-12-01T10:00:00Z', `secret=${secret}`],
    ].flatMap((one) => ['--set', one]);
    expect((await answer(...given)).stderr).toBe('');
    expect(await answerAfter(world, before)).toEqual({
      action: 'accept',
      content: {
        ...{ region: 'eu', zones: ['a', 'b'], ratio: 0.5, site: 'https://example.org/', day: '2026-12-01' },
        ...{ moment: '2026-12-01T10:00:00Z', secret },
      },
    });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    // Claude Code repeats the answer in the output of a JSON session (2.1.330), which is kept with the events.
    const kept = filesWith(secret, world.cbosHome).filter(
      (file) => type === 'screen' || !/\/json\/|cbos\.db/.test(file),
    );
    expect(kept).toEqual([]);
  });

  test('is set by the names of its fields, whatever they are, and a name that no form can have is refused', async () => {
    const before = answersOf(world).length;
    expect((await cbos.cli(['send', slug, 'scene:odd'])).stderr).toBe('');
    const session = await cbos.until(slug, (one) => formOf(one) !== undefined, 'asks');
    // Claude Code does not pass on a field with the name `__proto__` (2.1.330).
    expect(formOf(session)?.form?.fields.map(({ name }) => name)).toEqual(ODD_NAMES.slice(1));
    for (const [wrong, code] of [
      ['__proto__=x', 2],
      ['valueOf=x', 4],
    ] as const) {
      expect(await answer('--set', 'a=1', '--set', wrong)).toMatchObject({ code, stdout: '' });
    }
    expect(answersOf(world)).toHaveLength(before);
    const given = ['constructor=x', 'a=b=1', 'a=c=2', 'a=d=3'].flatMap((one) => ['--set', one]);
    expect(await answer(...given)).toMatchObject({ code: 0, stderr: '' });
    expect(await answerAfter(world, before)).toEqual({
      action: 'accept',
      content: { constructor: 'x', 'a=b': '1', 'a=c': '2', a: 'd=3' },
    });
    await cbos.untilStatus(slug, 'idle/waiting_input');
  });
});
