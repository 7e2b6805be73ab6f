import type { Member, Session, WireVersion } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { FarListener } from '../stream/other-machines.ts';
import type { Question } from './ask-machine.ts';
import type { FarWatches } from './far-watches.ts';

export interface FarSourceOptions {
  member: Member;
  slug: string;
  /** the session's row in its machine's list; undefined if that list is not known yet */
  row: Session | undefined;
  version: WireVersion | null;
  watches: FarWatches;
  /** whether a machine is still in the fleet */
  isMember(id: Member['id']): boolean;
  ask(member: Member, question: Question): Promise<unknown>;
  clock: Clock;
  listener: FarListener;
}
