import { type CatalogueEntry, EXIT } from './catalogue-entry.ts';

/** Errors about the server, its home, or the machine. */
export const SERVER_ERRORS = {
  internal: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'CBOS itself has failed',
    hint: 'The log in the home directory has the details',
  },
  disk_full: {
    status: 507,
    exit: EXIT.failed,
    meaning: 'The disk of the home is full, so the request could not be recorded and was not carried out',
    hint: 'Free some space and try again; `cbos doctor` shows where',
  },
  process_limit: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The system refuses to start another process',
    hint: "Raise the limit (`ulimit -u`, TasksMax of the service, pids.max of a container), or end processes that you don't need",
  },
  home_read_only: {
    status: 507,
    exit: EXIT.failed,
    meaning: 'The file system of the home is read-only, so the request could not be recorded and was not carried out',
    hint: 'Make it writable again (mount -o remount,rw, or fsck after errors); sessions keep running',
  },
  database_damaged: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'The database of the home, cbos.db, is damaged',
    hint: '`cbos doctor` shows the damage and how to repair it',
  },
  home_gone: {
    status: 503,
    exit: EXIT.failed,
    meaning:
      "The server's home was removed or moved while the server ran, so the server has ended; sessions keep running",
    hint: '`cbos up` starts a new home in its place and lists the sessions that run in Screen',
  },
  version_mismatch: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'The client and the server have different versions',
    hint: 'cbos down && cbos up',
  },

  no_server: { status: 503, exit: EXIT.noServer, meaning: "CBOS isn't running", hint: 'Start it: cbos up' },
  server_running: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'CBOS is already running',
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
    meaning: 'systemd does not manage services for this user',
    hint: '`cbos up` runs the server without systemd; in WSL, `systemd=true` under [boot] in /etc/wsl.conf enables it',
  },
  invalid_setting: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'A setting has an invalid value',
    hint: 'Change or remove the setting that the message names',
  },
  timed_out: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'The event did not happen within the given time',
    hint: 'Allow more time with --timeout',
  },
} as const satisfies Record<string, CatalogueEntry>;
