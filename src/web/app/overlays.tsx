import { AnswerDialog } from '../dialogs/answer-dialog.tsx';
import { ConvertDialog, MoveDialog, RenameDialog } from '../dialogs/change-dialogs.tsx';
import { DeedDialog } from '../dialogs/deed-dialog.tsx';
import { ExplainDialog } from '../dialogs/explain-dialog.tsx';
import { ExportDialog } from '../dialogs/export-dialog.tsx';
import { FinishDialog } from '../dialogs/finish-dialog.tsx';
import { ForkDialog } from '../dialogs/fork-dialog.tsx';
import { PullRequestDialog } from '../dialogs/pull-request-dialog.tsx';
import { SendDialog } from '../dialogs/send-dialog.tsx';
import { SetUpDialog } from '../dialogs/set-up-dialog.tsx';
import { SnoozeDialog } from '../dialogs/snooze-dialog.tsx';
import { TagsDialog } from '../dialogs/tags-dialog.tsx';
import { ListDialog } from '../list/list-dialog.tsx';
import { type AboutSession, overlay } from '../navigation/overlay.ts';
import { KeyHelp } from './key-help.tsx';
import { Palette } from './palette.tsx';

export function Overlays() {
  const { value } = overlay;
  if (value === null) return null;
  if (value === 'help') return <KeyHelp />;
  if (value === 'palette') return <Palette />;
  if (value === 'list') return <ListDialog />;
  if ('slug' in value) return <AboutOne key={`${value.about} ${value.slug}`} {...value} />;
  const key = `${value.about} ${value.slugs.join(' ')}`;
  if (value.about === 'tags') return <TagsDialog key={key} slugs={value.slugs} />;
  return value.about === 'send' ? (
    <SendDialog key={key} slugs={value.slugs} />
  ) : (
    <DeedDialog key={key} name={value.about} slugs={value.slugs} />
  );
}

function AboutOne({ about, slug }: AboutSession) {
  switch (about) {
    case 'answer':
      return <AnswerDialog slug={slug} />;
    case 'convert':
      return <ConvertDialog slug={slug} />;
    case 'explain':
      return <ExplainDialog slug={slug} />;
    case 'export':
      return <ExportDialog slug={slug} />;
    case 'finish':
      return <FinishDialog slug={slug} />;
    case 'fork':
      return <ForkDialog slug={slug} />;
    case 'request':
      return <PullRequestDialog slug={slug} />;
    case 'move':
      return <MoveDialog slug={slug} />;
    case 'rename':
      return <RenameDialog slug={slug} />;
    case 'set-up':
      return <SetUpDialog slug={slug} />;
    case 'snooze':
      return <SnoozeDialog slug={slug} />;
  }
}
