import { parentPort, workerData } from 'node:worker_threads';
import { runIndex } from '../platform/search/index.ts';

/** The entry point of the search index's thread, which the server starts. */
if (parentPort === null) throw new Error('this is a part of CBOS, started by its server');
runIndex(parentPort, String(workerData.file));
