import { CatalogueError, type FleetMachine } from '../protocol/index.ts';

/**
 * Returns the machines on which a session with these labels can be launched now, the least busy one first. Loads are
 * rounded to tenths. Of the machines that are equally busy then, the one with the fewest sessions comes first.
 * @throws CatalogueError no_suitable_machine
 */
export function machinesFor(machines: readonly FleetMachine[], labels: readonly string[]): FleetMachine[] {
  const reachable = machines.filter(
    ({ reachable: isReachable, fault, labels: own = [] }) =>
      isReachable && fault === null && labels.every((label) => own.includes(label)),
  );
  const suitable = reachable.filter(({ may = [] }) => may.includes('launch'));
  if (suitable.length > 0) {
    const busy = ({ load = Number.MAX_SAFE_INTEGER }: FleetMachine): number => Math.round(load * 10);
    return [...suitable].sort(
      (one, other) =>
        busy(one) - busy(other) || (one.running ?? 0) - (other.running ?? 0) || (one.name < other.name ? -1 : 1),
    );
  }
  const wanted = labels.length === 0 ? '' : ` with the label ${labels.join(' and ')}`;
  const names = reachable.map(({ name }) => name).join(', ');
  throw new CatalogueError(
    'no_suitable_machine',
    names === '' ? `No machine${wanted} can be reached now` : `This machine lacks the right to launch on ${names}`,
  );
}
