import { parentPort, workerData } from 'node:worker_threads';
import { runIndex } from '../platform/search/index.ts';

/** The search index's thread. The server starts it. */
if (parentPort === null) throw new Error('this is a part of CBOS, started by its server');
runIndex(parentPort, String(workerData.file));
