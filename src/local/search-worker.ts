import { parentPort, workerData } from 'node:worker_threads';
import { runIndex } from '../platform/search/index.ts';

/** The entry point of the search index's thread, which the server starts. */
if (parentPort === null) throw new Error('this program is part of CBOS and can be started only by the CBOS server');
runIndex(parentPort, String(workerData.file));
