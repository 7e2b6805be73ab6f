import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createReviewStore, type ReviewStore } from '../../src/platform/sqlite/review-store.ts';

/** What a database would keep of reviews, for as long as the test runs. */
export function memoryReviews(): ReviewStore {
  return createReviewStore(openDatabase(':memory:'));
}
