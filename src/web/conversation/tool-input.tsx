import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { Code } from './code.tsx';
import { Diff } from './diff.tsx';
import { Markdown } from './markdown.tsx';

/**
 * Shows a tool's input in the form that suits it best: as a command, a change to a file, a plan, or just the fields.
 * @param props.isFileNamed whether the name of the file is already shown above
 */
export function ToolInput(props: { name: string; input: unknown; isFileNamed?: boolean }) {
  const { name, input, isFileNamed = false } = props;
  const fields = fieldsOf(input);
  const file = FILE_FIELDS.find((field) => text(fields[field]) !== null);
  const fileName = !isFileNamed && file !== undefined && <FileName file={text(fields[file])} />;
  const command = text(fields.command);
  if (command !== null) {
    const about = text(fields.description);
    return (
      <>
        {about !== null && <p class="faint">{showHiddenMarks(about)}</p>}
        <Code text={command} language="bash" />
        <OtherFields fields={fields} shown={['command', 'description']} />
      </>
    );
  }
  const plan = text(fields.plan);
  if (name === 'ExitPlanMode' && plan !== null) return <Markdown text={plan} />;
  if (file !== undefined && Array.isArray(fields.edits) && fields.edits.every(isObject)) {
    return (
      <>
        {fileName}
        {fields.edits.map((edit: unknown, index) => (
          <Edit key={index} file={text(fields[file]) ?? ''} edit={fieldsOf(edit)} />
        ))}
        <OtherFields fields={fields} shown={[file, 'edits']} />
      </>
    );
  }
  if (file !== undefined && EDITED.some((field) => text(fields[field]) !== null)) {
    return (
      <>
        {fileName}
        <Edit file={text(fields[file]) ?? ''} edit={fields} shown={[file]} />
      </>
    );
  }
  const content = text(fields.content);
  if (content !== null && file !== undefined) {
    return (
      <>
        {fileName}
        <Code text={content} language={endingOf(text(fields[file]) ?? '')} />
        <OtherFields fields={fields} shown={[file, 'content']} />
      </>
    );
  }
  if (file !== undefined && Object.keys(fields).length === 1) return fileName || null;
  return <Code text={typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '')} language="json" />;
}

const FILE_FIELDS = ['file_path', 'notebook_path', 'path'];
const EDITED = ['old_string', 'new_string'];

function Edit(props: { file: string; edit: Record<string, unknown>; shown?: readonly string[] }) {
  const { file, edit, shown = [] } = props;
  const { replace_all, ...rest } = edit;
  const others = replace_all === false ? rest : edit;
  return (
    <>
      <Diff file={file} before={text(edit.old_string) ?? ''} after={text(edit.new_string) ?? ''} />
      <OtherFields fields={others} shown={[...shown, ...EDITED]} />
    </>
  );
}

/**
 * Shows the remaining fields, including those whose values are unexpectedly not strings. A tool from an MCP server may
 * use a field for anything.
 */
export function OtherFields({ fields, shown }: { fields: Record<string, unknown>; shown: readonly string[] }) {
  const isShown = ([name, value]: [string, unknown]): boolean =>
    shown.includes(name) && (typeof value === 'string' || name === 'edits');
  const others = Object.entries(fields).filter((field) => !isShown(field));
  if (others.length === 0) return null;
  return <Code text={JSON.stringify(Object.fromEntries(others), null, 2)} language="json" />;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

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
