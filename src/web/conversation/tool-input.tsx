import { showHiddenMarks } from '../parts/hidden-marks.ts';
import { Code } from './code.tsx';
import { Diff } from './diff.tsx';
import { Markdown } from './markdown.tsx';

/**
 * What a tool is called with, as a person reads it: a command, a change of a file, a plan, or the fields as they are.
 * @param props.isFileNamed the file's name stands above it already
 */
export function ToolInput(props: { name: string; input: unknown; isFileNamed?: boolean }) {
  const { name, input, isFileNamed = false } = props;
  const fields = fieldsOf(input);
  const file = text(fields.file_path) ?? text(fields.notebook_path) ?? text(fields.path);
  const command = text(fields.command);
  if (command !== null) {
    const about = text(fields.description);
    return (
      <>
        {about !== null && <p class="faint">{about}</p>}
        <Code text={command} language="bash" />
      </>
    );
  }
  const plan = text(fields.plan);
  if (name === 'ExitPlanMode' && plan !== null) return <Markdown text={plan} />;
  if (Array.isArray(fields.edits)) {
    return (
      <>
        {!isFileNamed && <FileName file={file} />}
        {fields.edits.map((edit: unknown, index) => {
          const { old_string, new_string } = fieldsOf(edit);
          return <Diff key={index} before={text(old_string) ?? ''} after={text(new_string) ?? ''} />;
        })}
      </>
    );
  }
  if (text(fields.old_string) !== null || text(fields.new_string) !== null) {
    return (
      <>
        {!isFileNamed && <FileName file={file} />}
        <Diff before={text(fields.old_string) ?? ''} after={text(fields.new_string) ?? ''} />
      </>
    );
  }
  const content = text(fields.content);
  if (content !== null && file !== null) {
    return (
      <>
        {!isFileNamed && <FileName file={file} />}
        <Code text={content} language={endingOf(file)} />
      </>
    );
  }
  if (file !== null && Object.keys(fields).length === 1) return <FileName file={file} />;
  return <Code text={typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '')} language="json" />;
}

function FileName({ file }: { file: string | null }) {
  return file === null ? null : <p class="mono file-name">{showHiddenMarks(file)}</p>;
}

export function endingOf(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1] ?? '';
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
