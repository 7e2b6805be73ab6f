import { inConfigFile } from '../../../protocol/index.ts';
import { knowsPeers } from '../../process/index.ts';
import { type Finding, ok, warning } from '../check.ts';

/** Without peer credentials, every caller on the local socket has only the rights of a process inside a session. */
export function checkCallers(): Finding {
  if (knowsPeers()) return ok('CBOS can identify the process behind a request on the local socket');
  return warning(
    'CBOS cannot identify the process behind a request on the local socket: the package koffi does not support this processor',
    `npm ci; or set ${inConfigFile('sessions_may', 'everything')}, which gives all rights to everybody, including agents`,
  );
}
