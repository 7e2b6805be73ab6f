import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../root.mjs';
import { capture } from '../run-command.mjs';
import { findChromium, findFirefox, findHeadlessShell } from '../setup/system-programs.mjs';

/**
 * Returns, on one line, the versions of the real programs that the tests use. If a test fails on only one machine, one
 * of these versions may be the cause.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} `Chromium 156.0.8078.79, its headless shell none, Firefox 140.12.0esr, tmux none, …`
 */
export async function versionsInUse(env) {
  const claude = JSON.parse(
    readFileSync(join(ROOT, 'node_modules', '@anthropic-ai', 'claude-code', 'package.json'), 'utf8'),
  );
  const found = await Promise.all([
    versionOf('Chromium', findChromium(env), ['--version']),
    versionOf('its headless shell', findHeadlessShell(env), ['--version']),
    versionOf('Firefox', findFirefox(env), ['--version']),
    versionOf('Screen', 'screen', ['--version']),
    versionOf('tmux', 'tmux', ['-V']),
    versionOf('script', 'script', ['--version']),
    versionOf('nats-server', 'nats-server', ['--version']),
  ]);
  return [...found, `Claude Code ${claude.version}`, `Node ${process.versions.node}`].join(', ');
}

/** @param {string} name @param {string | null} program @param {readonly string[]} args */
async function versionOf(name, program, args) {
  const { ok, output } = program === null ? { ok: false, output: '' } : await capture(program, args);
  return `${name} ${(ok && /\d+\.\d+[\w.]*/.exec(output)?.[0]) || 'none'}`;
}
