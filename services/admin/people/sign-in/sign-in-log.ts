import type { Log } from '#base/runtime';
import { createLineBudget } from '../../http/requests/rejections.ts';
import type { Person } from './rules.ts';

/** Lines a minute: of each person whom the provider has named, or of each address of strangers, and in all. */
const OF_PEOPLE = { each: 100, all: 500 };
const OF_STRANGERS = { each: 10, all: 100 };
const WINDOW_MS = 60_000;

/**
 * Warnings of sign-ins. Each stranger can cause some, from any number of addresses, so they are bounded; strangers take no room of people
 * whom the provider has named. The audit counts those that are left out.
 */
export type SignInLog = {
  ofPerson(person: Pick<Person, 'issuer' | 'subject'>, fields: object, message: string): void;
  ofStranger(address: string, fields: object, message: string): void;
};

export function createSignInLog(log: Log, now: () => number = () => performance.now()): SignInLog {
  const people = createLineBudget(OF_PEOPLE, WINDOW_MS);
  const strangers = createLineBudget(OF_STRANGERS, WINDOW_MS);
  const isAllowed = (budget: typeof people, key: string): boolean => {
    const taken = budget.take([key], now());
    if (taken.dropped > 0) log.warn({ dropped: taken.dropped }, 'warnings of sign-ins not logged');
    return taken.isAllowed;
  };
  return {
    ofPerson({ issuer, subject }, fields, message) {
      if (isAllowed(people, JSON.stringify([issuer, subject])))
        log.warn({ issuer, subject, ...fields }, message);
    },
    ofStranger(address, fields, message) {
      if (isAllowed(strangers, address)) log.warn({ ...fields, address }, message);
    },
  };
}
