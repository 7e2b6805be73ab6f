import { join } from 'node:path';
import { broughtBackText } from '../../../text/session-words.ts';
import { checkDatabaseFile } from '../../sqlite/check-database.ts';
import { DAMAGED_LOG, DATABASE_FILE } from '../../sqlite/database.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { statIfThere } from '../permissions.ts';

export async function checkDatabase({ settings: { home }, askSessions }: DoctorContext): Promise<Finding> {
  const file = join(home, DATABASE_FILE);
  const health = checkDatabaseFile(file);
  switch (health.kind) {
    case 'missing':
      return ok(`${file} (created at the first start)`);
    case 'unreadable':
      return warning(`${file} cannot be checked now (${health.what})`, 'Free some space on the disk, then try again');
    case 'damaged':
      return fault(
        `${file} is damaged (${health.what})`,
        `cbos down; restore a backup of it, or run mv ${file} ${file}.damaged; cbos up then lists running sessions again`,
      );
    case 'sound': {
      const log = `${file}${DAMAGED_LOG}`;
      if (statIfThere(log) !== null)
        return warning(
          `${log} could not be read to its end when the server started: the last writes are lost`,
          `rm ${log}`,
        );
      const back = (await askSessions()).filter((one) => one.brought_back).map(({ slug }) => slug);
      if (back.length === 0) return ok(file);
      return warning(
        `${file} lacked ${broughtBackText(back)}; their history, deliveries and drafts are lost`,
        'Find out what deleted the database or replaced it with an older copy; `cbos down && cbos up` clears this warning',
      );
    }
  }
}
