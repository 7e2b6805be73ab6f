import { type CatalogueEntry, NOT_FOUND, REFUSED, WRONG_USE } from './catalogue-entry.ts';

/** Errors concerning reviews. */
export const REVIEW_ERRORS = {
  no_such_comment: {
    ...NOT_FOUND,
    meaning: 'No comment in the open round has this id',
    hint: '`cbos review SLUG` lists the comments; a comment that was sent cannot be changed or deleted',
  },
  no_such_line: {
    ...WRONG_USE,
    meaning: "The file has no such lines, or isn't a text file",
    hint: '`cbos diff SLUG` shows the files and their lines; paths are relative to the top of the working tree',
  },
  no_such_file: {
    ...WRONG_USE,
    meaning: 'The working tree has no such file',
    hint: '`cbos diff SLUG --stat` lists the changed files',
  },
  too_many_comments: {
    ...REFUSED,
    meaning: 'The open round already has 200 comments, which is the limit',
    hint: '`cbos review SLUG send` sends them; a new round then begins',
  },
  no_comments: {
    ...REFUSED,
    meaning: 'The open round has no comments, so there is nothing to send',
    hint: '`cbos review SLUG add FILE:LINE TEXT` adds one',
  },
  review_changed: {
    ...REFUSED,
    meaning: 'The comments or the lines that they refer to have changed since you saw the prompt; nothing was sent',
    hint: 'Read the new prompt (`cbos review SLUG send` shows it), then send it',
  },
} as const satisfies Record<string, CatalogueEntry>;
