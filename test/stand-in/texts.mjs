// The texts of Claude Code that are not rows of its screen: what it tells the model, and what it writes into its
// transcript. Each was recorded by test/contract/ from version 2.1.330.

export const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
export const STOP_AND_WAIT = `${REJECTED} STOP what you are doing and wait for the user to tell you how to proceed.`;
export const rejectedBecause = (/** @type {string} */ words) =>
  `${REJECTED} To tell you how to proceed, the user said:\n${words}`;
export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_TOOL = '[Request interrupted by user for tool use]';
export const NO_OUTPUT = '(Bash completed with no output)';

/** How a prompt that was queued during a turn reaches the model. @param {string} text */
export const whileWorking = (text) =>
  `The user sent a new message while you were working:\n${text}\n\nThis is how Claude Code surfaces messages that arrive during a turn.`;

export const CAVEAT =
  "<local-command-caveat>The command below was run directly in Claude Code, not sent to you as a request, and its output goes straight to the user. It's recorded here as context for later messages.</local-command-caveat>";
export const commandTags = (/** @type {string} */ name, /** @type {string} */ args) =>
  `<command-name>/${name}</command-name>\n            <command-message>${name}</command-message>\n            <command-args>${args}</command-args>`;

/** @param {Record<string, string>} answers */
export const answered = (answers) =>
  `Your questions have been answered: ${pairs(answers)}. You can now continue with these answers in mind.`;
/** @param {Record<string, string>} answers */
export const answeredInWords = (answers) =>
  `The user answered: ${pairs(answers)}. Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.`;
/** @param {Record<string, string>} answers */
const pairs = (answers) =>
  Object.entries(answers)
    .map(([question, answer]) => `"${question}"="${answer}"`)
    .join(', ');

/** @param {string} file */
export const planReminder = (file) =>
  `<system-reminder>Plan mode is active. No plan file exists yet. You should create your plan at ${file} using the Write tool.</system-reminder>`;
/** @param {string} file @param {string} plan */
export const approvedPlan = (file, plan) =>
  `User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: ${file}\nYou can refer back to it if needed during implementation.\n\n## Approved Plan:\n${plan}`;

export const SUMMARY_REQUEST =
  'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the conversation so far.';
export const summaryOf = (/** @type {string} */ summary, /** @type {string} */ file) =>
  `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n<system-reminder>\n<tools-used-before-summary></tools-used-before-summary>\n</system-reminder>\n${summary}\n\nIf you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: ${file}`;
