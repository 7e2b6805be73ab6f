// Runs the command of the status line after each change, with what Claude Code reports to it.
import { spawn } from 'node:child_process';

/** Version 2.1.330 runs the command at most this often. */
const EVERY_MS = 300;

/** @param {import('./engine.mjs').Engine} engine @param {import('./terminal.mjs').Terminal} terminal */
export function followStatusLine(engine, terminal) {
  const { statusLine } = engine.settings;
  if (statusLine === null) return;
  let last = '';
  let isRunning = false;
  const report = () => {
    const { costUsd, apiMs, added, removed, context, contextWindow, used } = engine.figures();
    const input = JSON.stringify({
      ...{ session_id: engine.sessionId, transcript_path: engine.transcript.file, cwd: engine.cwd },
      ...{ model: { id: engine.model, display_name: engine.model }, effort: { level: 'medium' } },
      ...{ workspace: { current_dir: engine.cwd, project_dir: engine.cwd, added_dirs: [] }, version: engine.version },
      cost: {
        ...{ total_cost_usd: costUsd, total_duration_ms: Math.round(process.uptime()), total_api_duration_ms: apiMs },
        ...{ total_lines_added: added, total_lines_removed: removed },
      },
      context_window: {
        ...{
          total_input_tokens: used,
          total_output_tokens: context?.output_tokens ?? 0,
          context_window_size: contextWindow,
        },
        ...{
          current_usage: context,
          used_percentage: context === null ? null : Math.round((used / contextWindow) * 100),
        },
        remaining_percentage: context === null ? null : 100 - Math.round((used / contextWindow) * 100),
      },
    });
    if (input === last || isRunning) return;
    last = input;
    isRunning = true;
    const child = spawn('/bin/sh', ['-c', statusLine.command], { stdio: ['pipe', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    child.once('error', () => undefined);
    child.once('close', () => {
      isRunning = false;
      terminal.showStatusLine(text.trim() === '' ? [] : text.trim().split('\n'));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  };
  setInterval(report, EVERY_MS).unref();
}
