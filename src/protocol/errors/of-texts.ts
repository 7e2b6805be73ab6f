import { type CatalogueEntry, EXIT } from './catalogue-entry.ts';

/** Errors that keep a prompt, an answer, or a stored reply from reaching a session. */
export const TEXT_ERRORS = {
  untrusted_folder: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Nobody has said that the folder is trusted; Claude Code would run what its own settings name',
    hint: 'Answer the question of the session: `cbos answer SLUG yes` trusts the folder',
  },
  not_accepting_text: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The prompt takes no text now',
    hint: 'Answer the open question first, or use force',
  },
  command_prefix: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The text would run a shell command or a slash command',
    hint: 'Say that it is meant as a command (--command)',
  },
  idempotency_conflict: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The idempotency key was used with another text',
    hint: 'Use a new key for a new text',
  },
  no_question: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'No question is open',
    hint: '`cbos show SLUG` says what the session does',
  },
  stale_question: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Another question is open by now',
    hint: 'Look at the new question first',
  },
  no_such_option: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The open question has no such option',
    hint: '`cbos show SLUG` lists the options',
  },
  not_shown_whole: {
    status: 409,
    exit: EXIT.refused,
    meaning:
      'What is asked for is longer than CBOS shows, so it can be refused from here, and allowed in the terminal alone',
    hint: '`cbos attach SLUG` opens its terminal, which takes the answer; `cbos answer SLUG no` refuses it',
  },
  nothing_running: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'No turn is running',
    hint: '`cbos show SLUG` says what the session does',
  },
  not_confirmed: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'The keys were typed, but Claude Code gave no sign that it took them',
    hint: '`cbos attach SLUG` shows what happened; nothing was typed twice',
  },
  no_such_delivery: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'The session has no such delivery',
    hint: 'GET /sessions/{slug}/deliveries lists them',
  },
  delivery_final: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'CBOS does not hold this delivery any more',
    hint: 'Only queued deliveries can be changed or cancelled',
  },
  search_unavailable: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The search index cannot be read',
    hint: 'Look at server.log in the home; the index is made anew when search.db is deleted and the server restarted',
  },
  no_such_stash: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'No draft has this id',
    hint: '`cbos draft` lists them',
  },
  already_applied: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The draft was sent already; each is sent once at most',
    hint: '`cbos send` sends the text again',
  },
} as const satisfies Record<string, CatalogueEntry>;
