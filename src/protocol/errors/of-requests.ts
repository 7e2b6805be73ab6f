import { inConfigFile, settingVariable } from '../settings.ts';
import { type CatalogueEntry, EXIT, NOT_FOUND, REFUSED, WRONG_USE } from './catalogue-entry.ts';

/** Errors concerning a request or its sender. */
export const REQUEST_ERRORS = {
  invalid_request: {
    ...WRONG_USE,
    meaning: 'The request does not match its schema',
    hint: 'GET /openapi.json describes every request',
  },
  unauthorized: {
    status: 401,
    exit: EXIT.failed,
    meaning: 'The request has no valid token',
    hint: 'Send "Authorization: Bearer TOKEN"; `cbos token` prints the token',
  },
  unproven_server: {
    status: 502,
    exit: EXIT.noServer,
    meaning: 'The server at this address could not prove that this browser signed in to it',
    hint: 'Another program may be using the port, or the token has changed. `cbos open` signs the browser in again; `cbos doctor` checks the port',
  },
  link_expired: {
    status: 410,
    exit: EXIT.failed,
    meaning: 'The sign-in link has already been used or has expired',
    hint: '`cbos open` makes a new link; each link works once, within ten minutes',
  },
  too_many_attempts: {
    status: 429,
    exit: EXIT.failed,
    meaning: 'This address has sent too many wrong tokens or signatures',
    hint: 'Wait a minute. `cbos open` signs a browser in without a token; the command line needs no token',
  },
  forbidden_host: {
    status: 403,
    exit: EXIT.failed,
    meaning: 'The Host header does not name this server',
    hint: `Use 127.0.0.1 or localhost, or add the name to ${settingVariable('allowed_hosts')}`,
  },
  forbidden_origin: {
    status: 403,
    exit: EXIT.failed,
    meaning: 'The request comes from a page on another site',
    hint: 'Use a page from this server: it accepts requests only from its own pages',
  },
  invalid_rule: {
    ...WRONG_USE,
    meaning: 'A rule or a rules file is not valid',
    hint: 'docs/RULES.md describes rules; `cbos rules test` tries them out',
  },
  no_such_rule: {
    ...NOT_FOUND,
    meaning: 'No approval rule has this id',
    hint: '`cbos rules` lists the rules with their ids',
  },
  no_such_decision: {
    ...NOT_FOUND,
    meaning: 'The audit has no decision with this number',
    hint: '`cbos audit --json` lists the decisions with their numbers',
  },
  no_such_budget: {
    ...NOT_FOUND,
    meaning: 'No budget has this name',
    hint: '`cbos budget` lists the budgets; they are defined in config.toml',
  },
  no_such_schedule: {
    ...NOT_FOUND,
    meaning: 'No schedule has this name',
    hint: '`cbos schedule` lists the schedules',
  },
  schedule_taken: {
    ...REFUSED,
    meaning: 'Another schedule has this name',
    hint: 'Choose another name, or delete the old schedule with `cbos schedule rm`',
  },
  invalid_schedule: {
    ...WRONG_USE,
    meaning: "The schedule's pattern or time zone is not valid",
    hint: "A pattern is minute, hour, day of the month, month and day of the week, such as '0 7 * * 1-5'; a time zone is a name such as Europe/Berlin",
  },
  no_such_trigger: {
    ...NOT_FOUND,
    meaning: 'No webhook has this address',
    hint: "`cbos schedule trigger NAME` shows a schedule's webhook address",
  },
  bad_signature: {
    status: 401,
    exit: EXIT.failed,
    meaning: 'The request has no valid signature, or is older than five minutes',
    hint: 'Sign the request again with the current secret and time; docs/SCHEDULES.md describes how',
  },
  no_such_sink: {
    ...NOT_FOUND,
    meaning: 'No sink has this name',
    hint: '`cbos notify` lists the sinks',
  },
  sink_taken: {
    ...REFUSED,
    meaning: 'Another sink has this name',
    hint: 'Choose another name, or remove the old sink with `cbos notify rm`',
  },
  invalid_sink: {
    ...WRONG_USE,
    meaning: "The sink's quiet hours or time zone are not valid",
    hint: 'Write quiet hours as in 22:00-07:00, and the time zone as in Europe/Berlin',
  },
  sink_failed: {
    status: 502,
    exit: EXIT.failed,
    meaning: 'The sink did not accept the message',
    hint: "Check the sink's address and token; to replace them, use `cbos notify rm` and `cbos notify add`",
  },
  rule_in_file: {
    ...REFUSED,
    meaning: 'The rule comes from a rules file, which CBOS does not edit',
    hint: 'Remove the rule from the file; `cbos rules` names the file',
  },
  rules_changed: {
    ...REFUSED,
    meaning: 'The rules file has changed since it was read',
    hint: 'Run `cbos rules trust` again to read and confirm the new rules',
  },
  inside_session: {
    status: 403,
    exit: EXIT.refused,
    meaning: 'The request comes from a process inside a session, which may only read and send prompts',
    hint: `Run the command outside any session, or give sessions all rights with ${inConfigFile('sessions_may', 'everything')}`,
  },
  no_such_route: {
    ...NOT_FOUND,
    meaning: 'The API has no such path',
    hint: 'GET /openapi.json lists all paths and their methods',
  },
  method_not_allowed: {
    status: 405,
    exit: EXIT.failed,
    meaning: 'This path does not support the method',
    hint: 'GET /openapi.json lists all paths and their methods',
  },
  payload_too_large: {
    status: 413,
    exit: EXIT.failed,
    meaning: 'The request body is too large',
    hint: 'Send less data in one request; the limit is 4 MiB',
  },
  range_not_satisfiable: {
    status: 416,
    exit: EXIT.failed,
    meaning: 'The recording ends before the requested offset',
    hint: 'Request an offset within the recording',
  },
} as const satisfies Record<string, CatalogueEntry>;
