import { join } from 'node:path';
import { checkDatabaseFile } from '../../sqlite/check-database.ts';
import { DAMAGED_LOG, DATABASE_FILE } from '../../sqlite/database.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { statIfThere } from '../permissions.ts';

export function checkDatabase({ settings: { home } }: DoctorContext): Finding {
  const file = join(home, DATABASE_FILE);
  const health = checkDatabaseFile(file);
  switch (health.kind) {
    case 'missing':
      return ok(`${file} (made at the first start)`);
    case 'unreadable':
      return warning(`${file} cannot be looked at now (${health.what})`, 'Try again when there is room on its disk');
    case 'damaged':
      return fault(
        `${file} is damaged (${health.what})`,
        `cbos down; put a copy of it back, or mv ${file} ${file}.damaged; cbos up lists running sessions again, cbos adopt takes them over`,
      );
    case 'sound': {
      const log = `${file}${DAMAGED_LOG}`;
      if (statIfThere(log) === null) return ok(file);
      return warning(`${log} could not be read when the server started: what was written last is lost`, `rm ${log}`);
    }
  }
}
