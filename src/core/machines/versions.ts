/**
 * The version of the messages in a fleet. A new minor version only adds fields and requests that the previous version
 * may ignore. Any other change requires a new major version.
 */
export interface WireVersion {
  v: number;
  minor: number;
}

/** How another machine's version compares with this machine's own. */
export type VersionGap = 'none' | 'older' | 'newer';

/** Machines work together if they have the same major version, and their minor versions differ by at most one. */
export function versionGap(own: WireVersion, other: WireVersion): VersionGap {
  if (other.v === own.v && Math.abs(other.minor - own.minor) <= 1) return 'none';
  return other.v < own.v || (other.v === own.v && other.minor < own.minor) ? 'older' : 'newer';
}

/** The version in which a machine first sent what its sessions show to the machines that watch them. */
const FIRST_WITH_WATCHES: WireVersion = { v: 2, minor: 1 };

/** Reports whether sessions on a machine with this version can be watched. Otherwise, their screens must be read. */
export function canBeWatched({ v, minor }: WireVersion): boolean {
  return v > FIRST_WITH_WATCHES.v || (v === FIRST_WITH_WATCHES.v && minor >= FIRST_WITH_WATCHES.minor);
}
