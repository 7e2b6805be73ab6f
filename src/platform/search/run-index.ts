import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { collectGarbage } from '../process/index.ts';
import { openSearchDatabase } from '../sqlite/search-schema.ts';
import { SearchStore } from '../sqlite/search-store.ts';
import type { IndexMessage, IndexQuestion, IndexReply } from './messages.ts';
import { SearchIndex } from './search-index.ts';

/** A priority below that of everything that a user waits for: sessions, the server, and the user's own programs. */
const NICENESS = 10;

/** Runs the index in this thread until the thread receives `close`. @param file the database of the index */
export function runIndex(port: MessagePort, file: string): void {
  const reply = (message: IndexReply): void => port.postMessage(message);
  yieldToOthers();
  const index = new SearchIndex({
    store: new SearchStore(openSearchDatabase(file)),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    onError: (cause) => reply({ kind: 'fault', message: messageOf(cause) }),
  });
  port.on('message', (message: IndexMessage | IndexQuestion) => {
    if (!('id' in message)) {
      try {
        tell(index, message);
      } catch (cause) {
        reply({ kind: 'fault', message: messageOf(cause) });
      }
      return;
    }
    answer(index, message)
      .then((result) => reply({ kind: 'answer', id: message.id, answer: result }))
      .catch((cause: unknown) => reply({ kind: 'failed', id: message.id, message: messageOf(cause) }))
      .finally(() => message.kind === 'close' && port.close());
  });
}

function tell(index: SearchIndex, message: IndexMessage): void {
  switch (message.kind) {
    case 'follow':
      index.follow(message.session, message.place);
      break;
    case 'nudge':
      index.nudge(message.session);
      break;
    case 'transcript':
      index.readTranscript(message.session, message.file);
      break;
    case 'said':
      index.addSaid(message.session, message.texts);
      break;
    case 'events':
      index.addEvents(message.session, message.events);
      break;
    case 'forget':
      index.forget(message.session);
      break;
    case 'keepOnly':
      index.keepOnly(message.sessions);
      break;
  }
}

async function answer(index: SearchIndex, question: IndexQuestion) {
  switch (question.kind) {
    case 'search':
      return index.search(question.request);
    case 'lastEvent':
      return index.lastEvent(question.session);
    case 'collect':
      await collectGarbage();
      return null;
    case 'close':
      await index.close();
      return null;
  }
}

/**
 * Lowers the priority of this thread. Linux has a niceness for each thread, and only /proc reveals the number of the
 * thread.
 */
function yieldToOthers(): void {
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  setPriority(thread, NICENESS);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
