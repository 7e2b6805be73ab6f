/**
 * @typedef {string | { refused: string }} Treatment
 * @typedef {{ names: readonly string[], screen: Treatment, json: Treatment, isHidden?: true }} ClaudeFlag
 */

const INTRODUCTION = `# Arguments for Claude Code

\`cbos new NAME -- ARGUMENTS\` passes arguments on to Claude Code. This page lists what CBOS does with each of them, in a
session in a terminal and in a JSON session:

- *passed*: Claude Code gets it unchanged, and nothing that CBOS relies on changes.
- *followed*: CBOS uses it itself (\`--model\`, \`--permission-mode\`, \`--max-budget-usd\`), or learns from Claude Code what came of
  it. A conversation that another session or process has open is refused with \`session_in_use\`, whether \`--resume\` gives
  its id or its name. If the conversations of the folder and of the worktrees of its repository do not have that name, or
  more than one has it, Claude Code shows its list, and CBOS does not check what is chosen there. Once the session has a
  conversation of its own, a restart continues that one. A worktree without a name (\`-w\`) gets one from CBOS, because
  Claude Code would make another worktree at every launch.
- *merged*: Claude Code takes only the last \`--settings\`. CBOS therefore gives it one file with the user's settings and its
  own. The hooks of both run. Settings that are not strict JSON are refused with \`invalid_settings\`, because Claude Code
  would ignore all of them.
- *refused*: with \`argument_refused\` and the cure in the table.

Claude Code gets flags that this table does not know unchanged. A word after such a flag may be its value or a prompt, so
CBOS passes both on again in a restart, a restoration and a fork. Write \`--\` in front of a prompt that follows such a
flag; CBOS then knows that it is a prompt. If Claude Code rejects an argument, \`cbos new\` and
\`cbos restart\` report what it says, and in a JSON session the first prompt does. A prompt among the arguments is
sent once, and a restart does not put the text of \`--prefill\` into the prompt again.

\`npm run generate\` writes this page from \`src/core/launch/claude-flags.ts\`. A test compares it with the \`claude --help\` of
the installed version. Flags marked with * are not in that help.
`;

/**
 * Returns the page about the arguments for Claude Code.
 * @param {{ flags: readonly ClaudeFlag[], commands: readonly string[] }} table
 * @returns {string} Markdown
 */
export function argumentsPage({ flags, commands }) {
  const rows = flags.map(({ names, screen, json, isHidden }) => {
    const shown = names.map((name) => `\`${name}\``).join(', ');
    return `| ${shown}${isHidden === true ? ' *' : ''} | ${words(screen)} | ${words(json)} |`;
  });
  const list = commands.map((name) => `\`${name}\``).join(', ');
  return [
    INTRODUCTION,
    '| argument | in a terminal | JSON session |',
    '|---|---|---|',
    ...rows,
    '',
    `Claude Code's commands start no session and are refused: ${list}.`,
    '',
  ].join('\n');
}

/** @param {Treatment} treatment */
function words(treatment) {
  return typeof treatment === 'string' ? treatment : `refused: ${treatment.refused.replaceAll('|', '\\|')}`;
}
