import { hostname, userInfo } from 'node:os';
import { type Caller, SYSTEM } from '#base/tokens';

/** Who runs a command: flagmeter itself, with the account and the machine for the audit. */
export function callerOf(command: string): Caller {
  const parameters = { account: userInfo().username, machine: hostname() };
  return { ...SYSTEM, request: { operation: `flagmeter ${command}`, address: undefined, parameters } };
}
