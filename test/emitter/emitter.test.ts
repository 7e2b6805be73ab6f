import { expect, test } from 'vitest';
import { Emitter } from '../../src/emitter/emitter.ts';

test('each listener is notified, in the order in which they were added, until it is disposed of', () => {
  const emitter = new Emitter<[number, string]>();
  const told: string[] = [];
  const stopFirst = emitter.on((number, word) => told.push(`first ${number} ${word}`));
  const stopSecond = emitter.on((number) => told.push(`second ${number}`));
  emitter.tell(1, 'a');
  stopFirst();
  stopFirst();
  emitter.tell(2, 'b');
  stopSecond();
  emitter.tell(3, 'c');
  expect(told).toEqual(['first 1 a', 'second 1', 'second 2']);
});

test('a function that listens twice is notified twice, and each listener is disposed of separately', () => {
  const emitter = new Emitter();
  let count = 0;
  const listener = (): void => {
    count += 1;
  };
  const stops = [emitter.on(listener), emitter.on(listener)];
  emitter.tell();
  expect(count).toBe(2);
  stops[0]?.();
  emitter.tell();
  expect(count).toBe(3);
  stops[1]?.();
  expect(emitter.size).toBe(0);
});

test('a listener that another one removes is not notified any more, and one that it adds is notified the next time', () => {
  const emitter = new Emitter();
  const told: string[] = [];
  emitter.on(() => {
    told.push('first');
    stopSecond();
    if (emitter.size === 2) emitter.on(() => told.push('added'));
  });
  const stopSecond = emitter.on(() => told.push('second'));
  const stopThird = emitter.on(() => told.push('third'));
  emitter.tell();
  expect(told).toEqual(['first', 'third']);
  stopThird();
  emitter.tell();
  expect(told.slice(2)).toEqual(['first', 'added']);
  emitter.clear();
});

test('a listener that throws stops the others only if nobody handles the error', () => {
  const faults: unknown[] = [];
  const patient = new Emitter<[string]>((cause, told) => faults.push([(cause as Error).message, told]));
  const strict = new Emitter<[string]>();
  const heard: string[] = [];
  for (const emitter of [patient, strict]) {
    emitter.on(() => {
      throw new Error('broken');
    });
    emitter.on((word) => heard.push(word));
  }
  patient.tell('patient');
  expect(() => strict.tell('strict')).toThrow('broken');
  expect(faults).toEqual([['broken', 'patient']]);
  expect(heard).toEqual(['patient']);
  patient.clear();
  strict.clear();
});
