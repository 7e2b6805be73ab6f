export * from './caller.ts';
export * from './client.ts';
export * from './look-timer.ts';
export * from './remote-errors.ts';
export * from './session-view.ts';
export * from './stream-connection.ts';
export * from './transport.ts';
