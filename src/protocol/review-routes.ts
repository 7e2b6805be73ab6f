import { NewReviewComment, Review, ReviewComment, ReviewedFile, ReviewRound, SendReview } from './review.ts';
import type { RouteRow } from './route.ts';

const OF_FOLDER = [
  'no_such_session',
  'no_such_path',
  'not_a_repository',
  'git_not_found',
  'git_failed',
  'missing_objects',
] as const;

/** The part of the REST interface for reviews: comments on a session's changes, sent in rounds. */
export const REVIEW_ROUTES = {
  review: {
    method: 'get',
    path: '/sessions/{slug}/review',
    who: 'session',
    summary: "A session's review: comments, sent rounds with their answers, and marks",
    response: Review,
    errors: ['no_such_session'],
  },
  addReviewComment: {
    method: 'post',
    path: '/sessions/{slug}/review/comments',
    who: 'person',
    summary: 'Comment on lines of a file; nothing is sent yet',
    body: NewReviewComment,
    success: 201,
    response: ReviewComment,
    errors: [...OF_FOLDER, 'no_such_line', 'too_many_comments'],
  },
  removeReviewComment: {
    method: 'delete',
    path: '/sessions/{slug}/review/comments/{id}',
    who: 'person',
    summary: 'Delete a comment that was not sent yet',
    response: ReviewComment,
    errors: ['no_such_session', 'no_such_comment'],
  },
  sendReview: {
    method: 'post',
    path: '/sessions/{slug}/review/send',
    who: 'person',
    summary: 'Send the open round to the session as one prompt; CBOS holds it while the session works',
    body: SendReview,
    response: ReviewRound,
    errors: [
      'no_such_session',
      'no_comments',
      'review_changed',
      'not_accepting_text',
      'not_adopted',
      'screen_unreachable',
      'screen_unresponsive',
    ],
  },
  markReviewed: {
    method: 'put',
    path: '/sessions/{slug}/review/files',
    who: 'person',
    summary: 'Mark a file as reviewed or not reviewed; the mark is removed when the file changes',
    body: ReviewedFile,
    response: Review,
    errors: [...OF_FOLDER, 'no_such_file'],
  },
} as const satisfies Record<string, RouteRow>;
