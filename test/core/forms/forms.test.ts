import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { planForm } from '../../../src/core/answer/form-answer.ts';
import { type Filled, fillForm, readElicitation } from '../../../src/core/forms/index.ts';
import { formQuestion } from '../../../src/core/status/form-question.ts';
import type { Answer, Form } from '../../../src/protocol/index.ts';
import { allowedText } from '../../../src/text/form-words.ts';

const formOf = (properties: object, required: string[] = [], more: object = {}): Form => {
  const asked = { mcp_server_name: 'el', message: 'm', requested_schema: { type: 'object', properties, required } };
  return readElicitation({ ...asked, ...more })?.form ?? expect.unreachable();
};
const fill = (schema: object, value: unknown): unknown => {
  const filled = fillForm(formOf({ f: schema }), { f: value });
  return 'content' in filled ? filled.content.f : 'refused';
};

const TITLED = { type: 'string', oneOf: [{ const: 's', title: 'Staging' }, { const: 'p' }] };
const SEVERAL = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b', 'c,d'] } };

describe('the fields of a form', () => {
  test.each([
    [{ type: 'string' }, { type: 'text' }, 'text'],
    [{ type: 'string', minLength: 2, maxLength: 4 }, { min: 2, max: 4 }, 'text of 2 to 4 characters'],
    [{ type: 'string', format: 'email' }, { format: 'email' }, 'an e-mail address'],
    [{ type: 'string', format: 'hostname' }, { type: 'text' }, 'text'],
    [{ type: 'number', minimum: 0.5 }, { type: 'number', min: 0.5 }, 'a number from 0.5'],
    [{ type: 'integer', minimum: 1, maximum: 5, default: 2 }, { default: 2 }, 'a whole number from 1 to 5'],
    [{ type: 'integer', default: 'two' }, { type: 'integer' }, 'a whole number'],
    [{ type: 'boolean', title: 'Dry' }, { type: 'boolean', title: 'Dry' }, 'true or false'],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['A'] }, { type: 'choice' }, 'one of a (A), b'],
    [TITLED, { type: 'choice' }, 'one of s (Staging), p'],
    [SEVERAL, { type: 'choices' }, '1 to 2 of a, b, c,d'],
    [{ type: 'array', items: { anyOf: TITLED.oneOf } }, { type: 'choices' }, 'any number of s (Staging), p'],
    [{ type: 'object' }, { type: 'other' }, 'any JSON value'],
    [{ type: 'array', items: { type: 'number' } }, { type: 'other' }, 'any JSON value'],
    ['nonsense', { type: 'other' }, 'any JSON value'],
  ])('%j', (schema, expected, allowed) => {
    const [field] = formOf({ f: schema }).fields;
    expect(field).toMatchObject({ name: 'f', required: false, ...expected });
    expect(field && allowedText(field)).toBe(allowed);
  });

  test('are in the order that the server gave them', () => {
    const names = formOf({ 1: {}, b: {}, a: {} }, ['a'], { property_order: ['b', '1', 'gone'] }).fields;
    expect(names.map(({ name }) => name)).toEqual(['b', '1', 'a']);
    expect(names.map(({ required }) => required)).toEqual([false, false, true]);
  });

  test('of an address are none, and a mode that CBOS does not know is no form', () => {
    const asked = { mcp_server_name: 'el', message: 'm', url: 'https://example.com' };
    expect(readElicitation({ ...asked, mode: 'url' })?.form).toEqual({
      ...{ mode: 'url', server: 'el', url: 'https://example.com', fields: [] },
    });
    expect(readElicitation({ ...asked, mode: 'voice' })).toBeNull();
  });
});

describe('the values of a form', () => {
  test.each([
    [{ type: 'string' }, '', ''],
    [{ type: 'string' }, 3, 'refused'],
    [{ type: 'string', maxLength: 2 }, '🙂🙂', '🙂🙂'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'refused'],
    [{ type: 'string', format: 'email' }, 'ada@example.com', 'ada@example.com'],
    [{ type: 'string', format: 'email' }, 'ada', 'refused'],
    [{ type: 'string', format: 'uri' }, 'https://example.com', 'https://example.com'],
    [{ type: 'string', format: 'uri' }, 'example', 'refused'],
    [{ type: 'string', format: 'date' }, '2026-02-28', '2026-02-28'],
    [{ type: 'string', format: 'date' }, '2026-02-30', 'refused'],
    [{ type: 'string', format: 'date-time' }, '2026-11-28T20:00:00+01:00', '2026-11-28T20:00:00+01:00'],
    [{ type: 'string', format: 'date-time' }, 'now', 'refused'],
    [{ type: 'integer' }, '3', 3],
    [{ type: 'integer' }, ' 3.0 ', 3],
    [{ type: 'integer' }, '3.5', 'refused'],
    [{ type: 'integer', minimum: 1 }, 0, 'refused'],
    [{ type: 'number' }, '-1e3', -1000],
    [{ type: 'number' }, '0x10', 'refused'],
    [{ type: 'number' }, '', 'refused'],
    [{ type: 'number' }, 'Infinity', 'refused'],
    [{ type: 'number', maximum: 1 }, '1.5', 'refused'],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, '1', 'refused'],
    [TITLED, 's', 's'],
    [TITLED, 'STAGING', 's'],
    [TITLED, 'x', 'refused'],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['Same', 'Same'] }, 'same', 'refused'],
    [SEVERAL, 'a, b', ['a', 'b']],
    [SEVERAL, 'c,d', ['c,d']],
    [SEVERAL, ['c,d', 'a', 'a'], ['c,d', 'a']],
    [SEVERAL, '', 'refused'],
    [SEVERAL, ['a', 'b', 'c,d'], 'refused'],
    [SEVERAL, ['x'], 'refused'],
    [{ type: 'object' }, '{"x":[1]}', { x: [1] }],
    [{ type: 'object' }, 'plain', 'plain'],
  ])('%j takes %j as %j', (schema, given, expected) => {
    expect(fill(schema, given)).toEqual(expected);
  });

  test('every fault is named, with the field, the value, and what is allowed', () => {
    const form = formOf({ n: { type: 'integer', maximum: 5 }, who: { type: 'string' } }, ['who']);
    expect(fillForm(form, { n: 9, x: 1 })).toEqual({
      problems: [
        'the form has no field x',
        'n: 9 is not allowed: it takes a whole number up to 5',
        'who is required: text',
      ],
    });
  });

  test('a field that is not set has its default, and is left out if it has none', () => {
    const form = formOf({ a: { type: 'boolean', default: false }, b: { type: 'string' } }, ['a']);
    expect(fillForm(form, {})).toEqual({ content: { a: false } });
  });

  test('a field may have the name of a part of every object', () => {
    const form = formOf(JSON.parse('{"__proto__":{"type":"string"},"toString":{"type":"string"}}'), ['toString']);
    expect(fillForm(form, {})).toEqual({ problems: ['toString is required: text'] });
    const filled = fillForm(form, JSON.parse('{"__proto__":"x","toString":"y"}'));
    expect('content' in filled && Object.entries(filled.content)).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ]);
  });
});

const anySchema = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.integer({ min: 3, max: 9 }) }),
  fc.record({ type: fc.constantFrom('number', 'integer'), minimum: fc.integer(), maximum: fc.integer() }),
  fc.record({ type: fc.constant('boolean') }),
  fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(fc.string(), { minLength: 1 }) }),
  fc.record({
    type: fc.constant('array'),
    items: fc.record({ type: fc.constant('string'), enum: fc.uniqueArray(fc.string(), { minLength: 1 }) }),
    maxItems: fc.nat(3),
  }),
);
const anyValue = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.array(fc.string()), fc.anything());

test('whatever is given, a form passes on only what its schema allows', () => {
  fc.assert(
    fc.property(anySchema, anyValue, (schema, given) => {
      const filled: Filled = fillForm(formOf({ f: schema }), { f: given });
      if (!('content' in filled)) return;
      expect(
        z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(filled.content.f).success,
      ).toBe(true);
    }),
  );
});

test('a value that the schema allows is passed on as it is', () => {
  fc.assert(
    fc.property(anySchema, anyValue, (schema, given) => {
      const isAllowed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(given).success;
      if (!isAllowed) return;
      const expected = Array.isArray(given) ? [...new Set(given)] : given;
      expect(fill(schema, given)).toEqual(expected);
    }),
  );
});

describe('the answer to a form', () => {
  const asked = (form: Form) => formQuestion({ id: 'q', message: 'm', form, askedAt: 0 });
  const plan = (form: Form, answer: Answer): unknown => planForm(asked(form), form, answer);
  const accepted = (content: object) => ({ kind: 'form', action: 'accept', content });
  const NAMES = formOf({ who: { type: 'string' }, n: { type: 'integer', default: 1 } }, ['who']);
  const OK = formOf({ ok: { type: 'boolean' } }, ['ok']);
  const ADDRESS: Form = { mode: 'url', server: 'el', url: 'https://example.com', fields: [] };

  test.each<[string, Form, Answer, unknown]>([
    ['values', NAMES, { values: { who: 'ada' } }, accepted({ who: 'ada', n: 1 })],
    ['yes with values', NAMES, { choice: 'yes', values: { who: 'ada' } }, accepted({ who: 'ada', n: 1 })],
    ['yes without what is required', NAMES, { choice: 'yes' }, { code: 'invalid_values' }],
    ['no', NAMES, { choice: 'no' }, { action: 'decline' }],
    ['cancel', NAMES, { choice: 'cancel' }, { action: 'cancel' }],
    ['no with values', NAMES, { choice: 'no', values: {} }, { kind: 'refuse' }],
    ['a number that could be a value', NAMES, { choice: 1 }, { kind: 'refuse' }],
    ['a text for one of several fields', NAMES, { text: 'ada' }, { kind: 'refuse' }],
    ['always', NAMES, { choice: 'always' }, { kind: 'refuse' }],
    ['answers by questions', NAMES, { answers: { who: 'ada' } }, { kind: 'refuse' }],
    ['the option of a yes', OK, { choice: 1 }, accepted({ ok: true })],
    ['the option of a no', OK, { choice: 2 }, accepted({ ok: false })],
    ['the option that declines', OK, { choice: 3 }, { action: 'decline' }],
    ['an option that does not exist', OK, { choice: 4 }, { kind: 'refuse' }],
    ['a text for the only field', OK, { text: 'yes' }, accepted({ ok: true })],
    ['an address', ADDRESS, { choice: 'yes' }, accepted({})],
    ['an address that is declined', ADDRESS, { choice: 'no' }, { action: 'decline' }],
    ['a text for an address', ADDRESS, { text: 'done' }, { kind: 'refuse' }],
    ['values at the terminal', { ...OK, at_terminal: true }, { values: { ok: true } }, { code: 'form_at_terminal' }],
    ['values after the call', { ...OK, call_over: true }, { values: { ok: true } }, { code: 'form_left' }],
    ['a number after the call', { ...OK, call_over: true }, { choice: 1 }, { code: 'form_left' }],
    ['no after the call', { ...OK, call_over: true }, { choice: 'no' }, { action: 'decline' }],
    ['no at the terminal', { ...OK, at_terminal: true }, { choice: 'no' }, { action: 'decline' }],
  ])('%s', (_what, form, answer, expected) => {
    expect(plan(form, answer)).toMatchObject(expected as object);
  });
});
