import { useSignal } from '@preact/signals';
import { useRead } from '../connection/use-read.ts';
import { problemText } from './problem-text.ts';

/** The last answer to a request, and why the newest request failed; null if there is none. */
interface Answered<T> {
  answer: T | null;
  problem: string | null;
}

/** Requests something as `useRead` does, and returns what is known so far. */
export function useAnswer<T>(request: (() => Promise<T>) | null, values: readonly unknown[]): Answered<T> {
  const answer = useSignal<T | null>(null);
  const problem = useSignal<string | null>(null);
  useRead(
    request,
    {
      onRead: (read) => {
        answer.value = read;
        problem.value = null;
      },
      onError: (error) => {
        problem.value = problemText(error);
      },
    },
    values,
  );
  return { answer: answer.value, problem: problem.value };
}
