import type { REVIEW_ROUTES } from '../../protocol/review-routes.ts';
import type { Handlers } from '../handlers.ts';
import type { ReviewDesk } from './review-desk.ts';

export function createReviewHandlers(reviews: ReviewDesk): Pick<Handlers, keyof typeof REVIEW_ROUTES> {
  return {
    review: ({ params }) => reviews.review(params.slug),
    addReviewComment: ({ params, body }) => reviews.add(params.slug, body),
    removeReviewComment: ({ params }) => reviews.remove(params.slug, params.id),
    sendReview: ({ params, body }) => reviews.send(params.slug, body.prompt),
    markReviewed: ({ params, body }) => reviews.mark(params.slug, body),
  };
}
