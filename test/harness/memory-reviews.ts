import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createReviewStore, type ReviewStore } from '../../src/platform/sqlite/review-store.ts';

/** Keeps reviews in a database in memory. */
export function memoryReviews(database = openDatabase(':memory:')): ReviewStore {
  return createReviewStore(database);
}
