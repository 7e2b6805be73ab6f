import type { Question } from '../../protocol/index.ts';
import { QuestionPanel } from './question.tsx';

/** Shows everything that a session asks, oldest first. Keys answer only the oldest question. */
export function OpenQuestions(props: { slug: string; questions: readonly Question[]; cameByItself: boolean }) {
  const { slug, questions, cameByItself } = props;
  const all = questions.map(({ id }) => id).join(' ');
  return (
    <>
      {questions.map((question, index) => (
        <QuestionPanel
          key={question.id}
          {...{ slug, question }}
          cameByItself={cameByItself || index > 0}
          hasKeys={index === 0}
          shownWith={all}
        />
      ))}
    </>
  );
}
