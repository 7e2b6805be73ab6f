import type { Question } from '../../protocol/index.ts';
import { QuestionPanel } from './question.tsx';

/** Shows everything that a session asks, oldest first. Keys answer only the oldest question. */
export function OpenQuestions(props: { slug: string; questions: readonly Question[]; cameByItself: boolean }) {
  const { slug, questions, cameByItself } = props;
  return (
    <>
      {questions.map((question, index) => (
        <QuestionPanel
          key={question.id}
          {...{ slug, question }}
          cameByItself={cameByItself || index > 0}
          hasKeys={index === 0}
        />
      ))}
    </>
  );
}
