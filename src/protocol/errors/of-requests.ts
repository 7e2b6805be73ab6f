import { type CatalogueEntry, EXIT } from './catalogue-entry.ts';

/** Errors of a request, or of its sender. */
export const REQUEST_ERRORS = {
  invalid_request: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'The request does not fit its schema',
    hint: 'GET /openapi.json describes every request',
  },
  unauthorized: {
    status: 401,
    exit: EXIT.failed,
    meaning: 'No valid token came with the request',
    hint: 'Send "Authorization: Bearer TOKEN"; `cbos token` prints the token',
  },
  unproven_server: {
    status: 502,
    exit: EXIT.noServer,
    meaning: 'What answers at this address could not prove that it is the server this browser signed in to',
    hint: 'Another program may have taken the port, or the token was changed: `cbos open` signs in again, `cbos doctor` looks',
  },
  link_expired: {
    status: 410,
    exit: EXIT.failed,
    meaning: 'The sign-in link was used already, or is too old',
    hint: 'Each link signs in once, within ten minutes: `cbos open` makes a new one',
  },
  too_many_attempts: {
    status: 429,
    exit: EXIT.failed,
    meaning: 'Too many wrong tokens came from this address',
    hint: 'Wait a minute; `cbos open` signs a browser in without a token, and the command line needs none',
  },
  forbidden_host: {
    status: 403,
    exit: EXIT.failed,
    meaning: "The Host header isn't a name of this server",
    hint: 'Use 127.0.0.1 or localhost, or add the name to CBOS_ALLOWED_HOSTS',
  },
  forbidden_origin: {
    status: 403,
    exit: EXIT.failed,
    meaning: 'The request comes from a foreign page',
    hint: 'Only pages that this server serves may call it',
  },
  invalid_rule: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'A rule, or a file of rules, cannot be read as one',
    hint: 'docs/RULES.md describes rules; `cbos rules test` tries them',
  },
  no_such_rule: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'No approval rule has this id',
    hint: '`cbos rules` lists the rules with their ids',
  },
  no_such_schedule: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'No schedule has this name',
    hint: '`cbos schedule` lists the schedules',
  },
  schedule_taken: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Another schedule has this name',
    hint: 'Choose another name, or delete the old one with `cbos schedule rm`',
  },
  invalid_schedule: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'The pattern or the time zone of the schedule cannot be read',
    hint: "Write minute, hour, day of the month, month, day of the week: '0 7 * * 1-5'; and a zone as Europe/Berlin",
  },
  rule_in_file: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The rule is written in a file, which CBOS does not change',
    hint: 'Remove it from the file; `cbos rules` names the file',
  },
  rules_changed: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The file of rules is no longer what was read',
    hint: 'Read it again: `cbos rules trust` shows it and asks',
  },
  inside_session: {
    status: 403,
    exit: EXIT.refused,
    meaning: 'It was asked from inside a session, where processes may read and send only',
    hint: 'Do it outside of sessions; `sessions_may = "everything"` in config.toml gives them all rights',
  },
  no_such_route: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'There is nothing at this address',
    hint: 'GET /openapi.json lists what there is',
  },
  method_not_allowed: {
    status: 405,
    exit: EXIT.failed,
    meaning: 'The address exists, but not for this method',
    hint: 'GET /openapi.json lists what there is',
  },
  payload_too_large: {
    status: 413,
    exit: EXIT.failed,
    meaning: 'The request body is too large',
    hint: 'Send less at once; the limit is 4 MiB',
  },
  range_not_satisfiable: {
    status: 416,
    exit: EXIT.failed,
    meaning: 'The recording ends before the offset asked for',
    hint: 'Ask for an offset within the recording',
  },
} as const satisfies Record<string, CatalogueEntry>;
