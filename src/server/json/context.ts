import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Settings } from '../../protocol/index.ts';
import type { Approvals } from '../approval/approvals.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import type { Mailbox } from '../session/mailbox.ts';
import type { OtherSessions } from '../session/other-sessions.ts';
import type { SessionStatus } from '../session/session-status.ts';
import type { SetUps } from '../worktrees/set-ups.ts';
import type { EventOwner } from './event-log.ts';

/** The parts of the server that every JSON session needs. */
export interface JsonContext extends OtherSessions {
  settings: Settings;
  /** the environment of the server's own process; sessions inherit part of it */
  environment: Readonly<Record<string, string | undefined>>;
  spoolDir: string;
  /** the set-ups that prepare new worktrees */
  setUps: Pick<SetUps, 'plan'>;
  /** the directory for the input and output files of running processes */
  jsonDir: string;
  /** the directory of Claude Code's registry, which shows which process has a conversation open */
  registryDir: string;
  /** the user's approval rules, which answer permission requests */
  approvals: Approvals;
  /** returns whether any rule may deny tool calls before Claude Code asks about them */
  areCallsGuarded: () => boolean;
}

/** The session for which the driver runs Claude Code. */
export interface DrivenSession extends EventOwner {
  readonly record: SessionRecord;
  readonly status: Pick<SessionStatus, 'evidence' | 'memory' | 'seeJson' | 'until'>;
  readonly intake: Pick<EvidenceIntake, 'missing' | 'seeJson' | 'seeProcessAgain' | 'seeReport' | 'seeSetUp'>;
  readonly mailbox: Mailbox;
  update(change: Partial<SessionRecord>): void;
  commit(change: Partial<SessionRecord>): void;
}
