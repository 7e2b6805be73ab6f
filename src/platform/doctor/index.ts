export type { Check } from './check.ts';
export type { DoctorContext } from './context.ts';
export { localDoctorContext } from './local-context.ts';
export { runDoctor } from './run-doctor.ts';
