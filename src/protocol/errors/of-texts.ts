import { settingKey } from '../settings.ts';
import { type CatalogueEntry, EXIT, NOT_FOUND, REFUSED, UNAVAILABLE } from './catalogue-entry.ts';

/** Errors that prevent a prompt, an answer, or a stored reply from reaching a session. */
export const TEXT_ERRORS = {
  untrusted_folder: {
    ...REFUSED,
    meaning: "The folder isn't trusted yet: its settings may name programs that Claude Code would run",
    hint: "Answer the session's question: `cbos answer SLUG yes` trusts the folder",
  },
  not_accepting_text: {
    ...REFUSED,
    meaning: 'The session cannot accept a prompt now',
    hint: 'Answer the open question first (`cbos show SLUG`), or send the prompt with --force',
  },
  command_prefix: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The text would run as a shell command or a slash command',
    hint: 'To run it as a command, add --command',
  },
  idempotency_conflict: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The idempotency key was already used for another prompt',
    hint: 'Use a new key for a new prompt',
  },
  no_question: {
    ...REFUSED,
    meaning: 'No question is open',
    hint: '`cbos show SLUG` shows what the session is doing',
  },
  stale_question: {
    ...REFUSED,
    meaning: 'Another question is open now',
    hint: 'Read the new question first: `cbos show SLUG`',
  },
  question_behind: {
    ...REFUSED,
    meaning: 'Claude Code shows one dialog at a time, and the dialog of this question is not open yet',
    hint: 'Answer the question that comes first: `cbos show SLUG`',
  },
  no_such_option: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The open question has no such option',
    hint: '`cbos show SLUG` lists the options',
  },
  invalid_values: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The form of an MCP server does not take these values, so nothing was sent',
    hint: '`cbos show SLUG` lists the fields; `cbos answer SLUG --set FIELD=VALUE` sets one',
  },
  form_at_terminal: {
    ...REFUSED,
    meaning: "The form of an MCP server is open in the session's terminal, and can be filled in only there",
    hint: '`cbos attach SLUG` opens the terminal; `cbos answer SLUG no` closes the form',
  },
  form_left: {
    ...REFUSED,
    meaning: 'The answer comes too late: the call in which the MCP server asked has ended, so nothing was sent',
    hint: '`cbos answer SLUG no` closes the form',
  },
  not_shown_whole: {
    ...REFUSED,
    meaning:
      'The request is too long to be shown here completely, so you can refuse it here, but allow it only in the terminal',
    hint: '`cbos answer SLUG no` refuses it; the terminal of a session that has one (`cbos attach SLUG`) can allow it',
  },
  nothing_running: {
    ...REFUSED,
    meaning: 'No turn is running',
    hint: '`cbos show SLUG` shows what the session is doing',
  },
  not_confirmed: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'CBOS sent something to Claude Code, but nothing shows that it had its effect',
    hint: '`cbos show SLUG` shows what the session is doing now; nothing was sent twice',
  },
  no_such_delivery: {
    ...NOT_FOUND,
    meaning: 'The session has no such delivery',
    hint: 'GET /sessions/{slug}/deliveries lists the deliveries',
  },
  delivery_final: {
    ...REFUSED,
    meaning: 'CBOS no longer holds this prompt, so it cannot be changed or cancelled',
    hint: 'Only queued prompts can be changed or cancelled',
  },
  file_too_large: {
    status: 413,
    exit: EXIT.refused,
    meaning: 'The file is larger than the server accepts',
    hint: `Send a smaller file, raise the ${settingKey('max_file_size')} setting, or give the path of the file in the prompt`,
  },
  too_many_files: {
    ...REFUSED,
    meaning: 'The session already has the maximum number of stored files',
    hint: '`cbos files SLUG` lists the files, and `cbos files SLUG --rm ID` deletes one',
  },
  files_unavailable: {
    ...REFUSED,
    meaning: 'CBOS cannot send files to this session',
    hint: "Copy the file into the session's folder, and give its path in the prompt",
  },
  file_not_stored: {
    ...NOT_FOUND,
    meaning: 'The session has no stored file with this id',
    hint: '`cbos files SLUG` lists the stored files; `cbos send SLUG --file PATH` stores and sends a file',
  },
  file_in_use: {
    ...REFUSED,
    meaning: 'A prompt that the session may not have read yet mentions the file',
    hint: 'Cancel the prompt first (`cbos queue rm ID`), or delete the file after the session has read the prompt',
  },
  search_unavailable: {
    ...UNAVAILABLE,
    meaning: 'The search index cannot be read',
    hint: 'See server.log in the home directory. To rebuild the index, delete search.db and restart the server: `cbos down && cbos up`',
  },
  no_such_stash: {
    ...NOT_FOUND,
    meaning: 'No draft has this id',
    hint: '`cbos draft` lists the drafts',
  },
  already_applied: {
    ...REFUSED,
    meaning: 'The draft has already been sent, and CBOS sends each draft only once',
    hint: 'To send the text again, use `cbos send`',
  },
} as const satisfies Record<string, CatalogueEntry>;
