import type { ScreenGeneration } from './generation.ts';
import { activeDetail, dialogRule, errorLine, isReceiving, runningShell } from './readers.ts';

const ALL = ['1.0.60', '1.0.128', '2.0.30', '2.0.77', '2.1.50', '2.1.150', '2.1.250', '2.1.329', '2.1.330'] as const;

/**
 * Claude Code 1.0. The prompt is in a box or, from 1.0.128 on, between two lines. Dialogs are in a box. The single
 * spinner line contains `esc to interrupt` in parentheses. All later versions retain the look of turns, prompts, and
 * permission dialogs.
 */
export const SCREEN_1_0: ScreenGeneration = {
  signs: {
    prompts: [
      // The mark may be surrounded by non-breaking spaces.
      { id: 'screen.sign.prompt-box', versions: ['1.0.60'], frame: 'box', mark: /^[ \u00a0]?([>!])(?:[ \u00a0]|$)/ },
      {
        id: 'screen.sign.prompt-lines',
        versions: ['1.0.128', '2.0.30'],
        frame: 'lines',
        mark: /^[ \u00a0]?([>])(?:[ \u00a0]|$)/,
      },
    ],
    errors: [
      {
        id: 'screen.sign.error',
        versions: ['1.0.60', '2.0.30', '2.1.50', '2.1.150'],
        pattern:
          /^(?:[●⏺]\s+| +⎿\s+)(?:API Error|Credit balance (?:is )?too low|Invalid API key|Please run \/login|OAuth token|Prompt is too long|Request timed out|Connection error|Unable to connect to API|.{0,40}\b(?:usage|session|weekly|rate|spend(?:ing)?) limit\b|5-hour limit|You've (?:hit|reached) your)/i,
      },
      // Claude Code prints this for an error whose response body cannot be read.
      { id: 'screen.sign.error-empty', versions: ['1.0.128', '2.0.77'], pattern: /^(?:[●⏺]\s+| +⎿\s+)\{\}$/ },
    ],
    borders: [{ id: 'screen.sign.dialog-box', versions: ['1.0.60', '1.0.128'], left: /^│/, right: / *│$/ }],
  },
  rules: {
    dialog: [dialogRule('permission', ALL), dialogRule('setup', ALL)],
    spinner: [
      {
        // Versions up to 2.1.50 draw an answer only when it is complete. Until then, only the spinner shows that an
        // answer is arriving.
        id: 'screen.spinner.receiving',
        versions: ['1.0.60', '1.0.72', '1.0.88', '1.0.94', '1.0.128', '2.0.30', '2.0.77', '2.1.50'],
        read: (view) =>
          view.spinner !== null && isReceiving(view)
            ? { primary: 'active', detail: 'responding', evidence: view.spinner.words }
            : null,
      },
      {
        // Versions up to 2.1.50 draw no spinner for a shell command that the user runs.
        id: 'screen.shell.running',
        versions: ['1.0.128', '2.0.30', '2.0.77', '2.1.50'],
        read: ({ prompt, blocks }) => {
          const command = prompt === null ? null : runningShell(blocks);
          return command === null ? null : { primary: 'active', detail: 'using_tools', evidence: command };
        },
      },
      {
        // Claude Code 2.1.150 draws a spinner too, but the footer already shows everything that the spinner shows.
        id: 'screen.spinner',
        versions: ALL.filter((version) => version !== '2.1.150'),
        read: (layout) =>
          layout.spinner === null
            ? null
            : { primary: 'active', detail: activeDetail(layout), evidence: layout.spinner.words },
      },
    ],
    error: [
      {
        id: 'screen.prompt.error',
        versions: ['1.0.60', '1.0.128', '2.0.30', '2.0.77', '2.1.50', '2.1.150'],
        read: (view) => {
          const line = view.prompt === null ? null : errorLine(view);
          return line === null ? null : { primary: 'idle', detail: 'error', evidence: line };
        },
      },
    ],
    prompt: [
      {
        id: 'screen.prompt.after-turn',
        versions: ALL,
        read: (layout) => {
          if (layout.prompt === null) return null;
          const said = layout.blocks.findLast((block) => block.kind !== 'note');
          return said === undefined
            ? null
            : { primary: 'idle', detail: 'waiting_input', evidence: (said.lines[0] ?? '').trim() };
        },
      },
      {
        id: 'screen.prompt.fresh',
        versions: ALL,
        read: (layout) =>
          layout.prompt === null
            ? null
            : { primary: 'idle', detail: 'ready', evidence: 'the prompt, and nothing said yet' },
      },
    ],
  },
};
