import { knowsPeers } from '../../process/index.ts';
import { type Finding, ok, warning } from '../check.ts';

/** Without peer credentials, every caller on the local socket has only the rights of a process inside a session. */
export function checkCallers(): Finding {
  if (knowsPeers()) return ok('the process that asks over the local socket can be known');
  return warning(
    'which process asks over the local socket cannot be known: the package koffi has nothing for this processor',
    'npm ci; else sessions_may = "everything" in config.toml gives everybody all rights, agents included',
  );
}
