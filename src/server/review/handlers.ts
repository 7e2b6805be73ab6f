import type { REVIEW_ROUTES } from '../../protocol/review-routes.ts';
import type { Handlers } from '../handlers.ts';
import type { Reviews } from './reviews.ts';

export function createReviewHandlers(reviews: Reviews): Pick<Handlers, keyof typeof REVIEW_ROUTES> {
  return {
    review: ({ params }) => reviews.review(params.slug),
    addReviewComment: ({ params, body }) => reviews.add(params.slug, body),
    removeReviewComment: ({ params }) => reviews.remove(params.slug, params.id),
    sendReview: ({ params, body }) => reviews.send(params.slug, body.prompt),
    markReviewed: ({ params, body }) => reviews.mark(params.slug, body),
  };
}
