import { type CatalogueEntry, EXIT } from './catalogue-entry.ts';

/** Errors of reviews. */
export const REVIEW_ERRORS = {
  no_such_comment: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'No comment of the open round has this id',
    hint: '`cbos review SLUG` lists them; one that was sent stays',
  },
  no_such_line: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'The file does not have these lines, or is none that is read line by line',
    hint: '`cbos diff SLUG` shows the files and their lines; paths begin at the top of the working tree',
  },
  no_such_file: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'There is no such file in the working tree',
    hint: '`cbos diff SLUG --stat` names the files that were changed',
  },
  too_many_comments: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The open round has 200 comments, and takes no more',
    hint: '`cbos review SLUG send` sends them; the next round takes more',
  },
  no_comments: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The open round has no comment, so there is nothing to send',
    hint: '`cbos review SLUG add FILE:LINE TEXT` adds one',
  },
  review_changed: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The comments or their lines have changed since the prompt was shown; nothing was sent',
    hint: 'Read the prompt again, then send it',
  },
} as const satisfies Record<string, CatalogueEntry>;
