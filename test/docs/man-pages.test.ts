import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.mjs';
import { COMMAND_MODULES } from '../../src/cli/command-modules.ts';

const MAN = join(ROOT, 'man');
const PAGES = readdirSync(MAN);
/** All macros of man(7) that the pages use. */
const MACROS = /^\.(?:\\"|TH|SH|SS|PP|TP|B|I|BR|RI|br|nh|ad)\b|^\.\\"/;
const hasGroff = spawnSync('groff', ['--version']).status === 0;
const hasMan = spawnSync('man', ['--version']).status === 0;

describe('the manual', () => {
  test('has a page for every command that the help lists', () => {
    const words = COMMAND_MODULES.flatMap(({ names }) => names);
    const named = PAGES.map((page) => page.replace(/^cbos-(.*)\.1$/, '$1')).filter((name) => name !== 'cbos.1');
    expect(named.length).toBeGreaterThan(45);
    expect(named.filter((name) => !words.includes(name) && name !== 'help')).toEqual([]);
    const main = readFileSync(join(MAN, 'cbos.1'), 'utf8');
    expect(named.filter((name) => !main.includes(`.BR cbos\\-${name.replaceAll('-', '\\-')} (1)`))).toEqual([]);
  });

  test('is what npm installs with the program', () => {
    const { man, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      man: string[];
      files: string[];
    };
    expect(man).toEqual(PAGES.map((page) => `./man/${page}`));
    expect(files).toContain('man');
  });

  test('is plain ASCII with known macros, and no text begins like a macro', () => {
    const wrong = PAGES.flatMap((page) =>
      readFileSync(join(MAN, page), 'utf8')
        .split('\n')
        .filter((line) => /[^\x20-\x7e]/.test(line) || /^'/.test(line) || (line.startsWith('.') && !MACROS.test(line)))
        .map((line) => `${page}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test.skipIf(!hasGroff)(
    `is formatted by groff without a warning${hasGroff ? '' : ' (skipped: no groff here)'}`,
    () => {
      const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', ...PAGES], {
        cwd: MAN,
        encoding: 'utf8',
      });
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    },
  );

  test.skipIf(!hasMan)(`is shown by man${hasMan ? '' : ' (skipped: no man here)'}`, () => {
    expect(existsSync(join(MAN, 'cbos-send.1'))).toBe(true);
    const { stdout, stderr } = spawnSync('man', ['./cbos-send.1'], {
      cwd: MAN,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, MANWIDTH: '80', LANG: 'C.UTF-8', PAGER: 'cat' },
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('cbos-send - send a prompt to a session, or to several');
    expect(stdout).toMatch(/--state <state>/);
  });
});
