import { type CatalogueEntry, EXIT } from './catalogue-entry.ts';

/** Errors of the server, its home, or the machine. */
export const SERVER_ERRORS = {
  internal: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'A fault of CBOS itself',
    hint: 'The log in the home directory has the details',
  },
  disk_full: {
    status: 507,
    exit: EXIT.failed,
    meaning: 'There is no room on the disk of the home: what was asked for could not be written down, and was not done',
    hint: 'Free some space and try again; `cbos doctor` says where',
  },
  process_limit: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The system lets no further process start',
    hint: 'Raise the limit (`ulimit -u`, TasksMax of the service, pids.max of a container), or end what is not needed',
  },
  home_read_only: {
    status: 507,
    exit: EXIT.failed,
    meaning: 'The file system of the home is read-only: what was asked for could not be written down, and was not done',
    hint: 'Make it writable again (mount -o remount,rw, or fsck where it had errors); sessions run on meanwhile',
  },
  database_damaged: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'The database of the home, cbos.db, is damaged',
    hint: '`cbos doctor` says what is wrong with it, and what to do',
  },
  home_gone: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The home of the server was removed or moved while it ran, so it has ended; sessions live on',
    hint: '`cbos up` begins a new home in its place, which lists the sessions that run in Screen again',
  },
  version_mismatch: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'Client and server are of different versions',
    hint: 'cbos down && cbos up',
  },

  no_server: { status: 503, exit: EXIT.noServer, meaning: 'CBOS is not running', hint: 'Start it: cbos up' },
  server_running: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'CBOS is running already',
    hint: '`cbos down` stops it',
  },
  port_taken: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'Something else listens on the port',
    hint: 'Choose another: CBOS_PORT=…',
  },
  no_systemd: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'systemd manages no services for this user here',
    hint: '`cbos up` runs the server without it; in WSL, systemd=true under [boot] in /etc/wsl.conf brings it',
  },
  invalid_setting: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'A setting has a value that it cannot have',
    hint: 'Change or remove the setting that is named',
  },
  timed_out: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'It did not happen in the time given',
    hint: 'Give it more time with --timeout',
  },
} as const satisfies Record<string, CatalogueEntry>;
