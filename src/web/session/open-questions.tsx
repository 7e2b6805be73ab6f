import type { Question } from '../../protocol/index.ts';
import { useOpenSinceFirst } from './open-since-first.ts';
import { QuestionPanel } from './question.tsx';

/** Shows everything that a session asks, oldest first. Keys answer only the oldest question. */
export function OpenQuestions({ slug, questions }: { slug: string; questions: readonly Question[] }) {
  const ids = questions.map(({ id }) => id);
  const sinceFirst = useOpenSinceFirst(slug, ids);
  const all = ids.join(' ');
  return (
    <>
      {questions.map((question, index) => (
        <QuestionPanel
          key={question.id}
          {...{ slug, question }}
          cameByItself={index > 0 || sinceFirst?.has(question.id) === false}
          hasKeys={index === 0}
          shownWith={all}
        />
      ))}
    </>
  );
}
