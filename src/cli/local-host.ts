import type { Client } from '../client/index.ts';
import type {
  Because,
  Detail,
  Explanation,
  Health,
  Primary,
  ResolvedSetting,
  Session,
  SettingName,
  Settings,
  State,
} from '../protocol/index.ts';
import type { TerminalIo } from './terminal-io.ts';

/**
 * Settings that flags set, each as the text that was typed. The host reads and checks them as it does the
 * environment's.
 */
export type SettingFlags = Partial<Record<SettingName, string>>;

/** One line of `cbos doctor`. */
export interface DoctorCheck {
  /** what was looked at, a few words: "GNU Screen" */
  name: string;
  outcome: 'ok' | 'warning' | 'fault';
  /** what was found, one line: "4.9.0 at /usr/bin/screen" */
  detail: string;
  /** what to type or change, one line; null where nothing is wrong */
  cure: string | null;
}

/** The systemd user service, as far as systemd tells. */
export interface ServiceState {
  /** path of the unit file, null when it is not installed */
  unitFile: string | null;
  running: boolean;
  /** starts when the user logs in (or at boot, where the user lingers) */
  enabled: boolean;
  /** what else a person should know or do, one line each */
  notes: readonly string[];
}

export interface ServeRequest {
  flags: SettingFlags;
  /** aborted when the server is to end; its sessions stay alive */
  signal: AbortSignal;
  /** called once, when the server answers. @param reach who else can reach it, in words; null: this machine only */
  onReady(address: string, reach?: string | null): void;
}

export interface StartRequest {
  flags: SettingFlags;
  /** what is being waited for, one line each: "starting the server" */
  onProgress(line: string): void;
}

export interface TuiRequest {
  client: Client;
  io: TerminalIo;
  /** what is being waited for, one line each: "starting the server" */
  onProgress(line: string): void;
}

export interface DemoRequest {
  /** where the fleet is shown: the terminal UI on this terminal, the page, or as lines of what happens */
  face: 'terminal' | 'page' | 'lines';
  /** aborted when the demo is to end */
  signal: AbortSignal;
  /** a line for the person who runs it */
  onProgress(line: string): void;
}

/** A line of `cbos timeline`. */
export interface TimelineChange {
  /** seconds from the recording's start; 0 throughout where it has no timing */
  t: number;
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  because: Because;
}

/** A recording to be read without a server. */
export interface RecordingChoice {
  /** a session's slug, or the path of a recording */
  recording: string;
  /** path of the timing file, null: the one beside the recording, if there is one */
  timing: string | null;
  /** stronger than the size that the recording tells */
  cols: number | null;
  rows: number | null;
}

export type TimelineRequest = RecordingChoice;

export const EXPORT_FORMATS = ['asciicast', 'asciicast-v3', 'text', 'html'] as const;

export interface ExportRequest extends RecordingChoice {
  format: (typeof EXPORT_FORMATS)[number];
  /** the file that is going to be written, null: none */
  output: string | null;
  /** told how much of the recording is read, 0 to 1 */
  onProgress(share: number): void;
}

export interface ExportResult {
  /** false: there was no timing, so all times are 0 */
  timed: boolean;
  /** the exported file, piece by piece */
  text: AsyncIterable<string>;
}

export interface ReplayRequest extends RecordingChoice {
  /** 2 is twice as fast */
  speed: number;
  /** silence longer than this is cut short; null: it is not */
  idleLimitMs: number | null;
  /** where it begins */
  fromMs: number;
  /** called once before anything is written */
  onStart(facts: { cols: number; rows: number; timed: boolean }): void;
  stage: {
    /** null: no terminal */
    size(): { cols: number; rows: number } | null;
    /** resolves when there is room for more */
    write(text: string): Promise<void>;
    /** Hears what is typed. */
    onTyped(listener: (typed: string) => void): () => void;
    /** aborted when it is to end */
    signal: AbortSignal;
  };
}

export interface TimelineResult {
  /** false: there was no timing, so no times are known */
  timed: boolean;
  /** in the order of their time */
  changes: TimelineChange[];
}

export interface MisdetectionRequest {
  slug: string;
  /** the right word, `primary/detail` */
  shouldBe: string;
  explanation: Explanation;
  /** now, Unix milliseconds */
  at: number;
}

/**
 * Everything of this machine that the command line needs beside the server's API. `main.ts` fills it; the command line
 * never imports the rooms behind it. All functions reject with a `CatalogueError` where something was to be expected.
 */
export interface LocalHost {
  /**
   * Each setting, resolved, and where it came from, in the order of `SETTING_ROWS`.
   * @throws CatalogueError invalid_setting
   */
  settings(flags: SettingFlags): Promise<{ settings: Settings; rows: ResolvedSetting[] }>;
  /** `http://HOST:PORT` of the running server as it said itself, as the settings have it while none runs. */
  address(): Promise<string>;
  /**
   * Runs the server in this process until the signal is aborted.
   * @throws CatalogueError server_running, port_taken, invalid_setting
   */
  serve(request: ServeRequest): Promise<void>;
  /** Starts the server in a process of its own and resolves when it answers on the local socket. */
  startInBackground(request: StartRequest): Promise<'started' | 'already_running'>;
  /**
   * Looks whether the server's process is stopped (SIGSTOP, Ctrl-Z, a debugger): then nothing is ever answered, and
   * nothing refused.
   * @throws CatalogueError no_server where it is
   */
  requireNotStopped(): Promise<void>;
  /** Ends the server of this home and resolves when its process is gone. Sessions stay alive. */
  stopServer(): Promise<'stopped' | 'not_running'>;
  /** the token of the API; made when there is none yet */
  readToken(): Promise<string>;
  /**
   * A new token instead of the old one. A running server takes it at once, or says by an error what to do.
   * @throws CatalogueError invalid_setting when the token comes from the environment or config.toml
   */
  rotateToken(): Promise<string>;
  /** The git branches of folders, by folder; those that are in no repository are left out. Runs no git. */
  gitBranches(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Which models gave the last answers of sessions in a terminal, by slug, as far as that can be read here. */
  lastModels(sessions: readonly Session[]): Promise<ReadonlyMap<string, string>>;
  /** Whether no server has ever run on this home. */
  isFirstStart(): Promise<boolean>;
  /** Opens an address in the person's browser; false where there is no desktop. */
  openInBrowser(url: string): Promise<boolean>;
  doctor(): AsyncIterable<DoctorCheck>;
  service: {
    install(): Promise<ServiceState>;
    uninstall(): Promise<'uninstalled' | 'not_installed'>;
    status(): Promise<ServiceState>;
  };
  /** The program and its arguments that show a session's real terminal. @param screenId `PID.NAME` */
  attachArgv(screenId: string): string[];
  /** Runs a program on this terminal and resolves to its exit code. */
  runAttached(argv: readonly string[]): Promise<number>;
  /**
   * The terminal UI, until the person leaves it; starts the server where none runs. Resolves to the exit code.
   * @throws CatalogueError no_server, timed_out
   */
  tui(request: TuiRequest): Promise<number>;
  demo(request: DemoRequest): Promise<void>;
  /**
   * The status along a recording, from its bytes alone: no server is asked.
   * @throws CatalogueError no_recording
   */
  timeline(request: TimelineRequest): Promise<TimelineResult>;
  /**
   * Keeps a wrong status for a report, every text in it replaced but the words that rules read. Resolves to the file's
   * path.
   */
  recordMisdetection(request: MisdetectionRequest): Promise<string>;
  /**
   * A recording in another format.
   * @throws CatalogueError no_recording, invalid_request for an output that is the recording itself
   */
  exportRecording(request: ExportRequest): Promise<ExportResult>;
  /**
   * Plays a recording; resolves at its end, by the key to quit, or by the signal.
   * @throws CatalogueError no_recording
   */
  replay(request: ReplayRequest): Promise<void>;
}
