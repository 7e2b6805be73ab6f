import { chmodSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureTokenFile, fileToken, fixedToken, readToken, rotateTokenFile } from '../../../src/server/auth/token.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let path: string;
beforeEach(() => {
  world = createWorld();
  path = join(world.cbosHome, 'token');
});
afterEach(() => world.dispose());

test('a token is created once, long and random, readable only by its owner', () => {
  const source = fileToken(path);
  const token = readToken(path);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(world.cbosHome).mode & 0o777).toBe(0o700);
  expect(source.accepts(token)).toBe(true);
  fileToken(path);
  expect(readToken(path)).toBe(token);
  expect(readdirSync(world.cbosHome)).toEqual(['token']);
});

test('no other token is accepted, no part of it, and no empty one', () => {
  const source = fileToken(path);
  const token = readToken(path);
  for (const wrong of ['', token.slice(0, -1), `${token}x`, token.toUpperCase(), 'x'.repeat(43)]) {
    expect(source.accepts(wrong)).toBe(false);
  }
});

test('a rotated token is valid at once, and the old one no longer', () => {
  const source = fileToken(path);
  const old = readToken(path);
  const fresh = rotateTokenFile(path);
  expect(fresh).not.toBe(old);
  expect(source.accepts(fresh)).toBe(true);
  expect(source.accepts(old)).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('nobody is admitted while the file is missing or empty, and everything works when it is back', () => {
  const source = fileToken(path);
  const token = readToken(path);
  unlinkSync(path);
  expect(source.accepts(token)).toBe(false);
  expect(source.accepts('')).toBe(false);
  writeFileSync(path, '\n');
  expect(source.accepts('')).toBe(false);
  const fresh = rotateTokenFile(path);
  expect(source.accepts(fresh)).toBe(true);
});

test('a file that others may read is made private', () => {
  ensureTokenFile(path);
  chmodSync(path, 0o644);
  ensureTokenFile(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file without a token is refused with the cure', () => {
  ensureTokenFile(path);
  writeFileSync(path, 'short');
  expect(() => fileToken(path)).toThrow(expect.objectContaining({ code: 'invalid_setting' }));
});

test('a token from the settings needs no file', () => {
  const source = fixedToken('chosen-by-the-user-himself');
  expect(source.accepts('chosen-by-the-user-himself')).toBe(true);
  expect(source.accepts('chosen-by-somebody-else')).toBe(false);
});
