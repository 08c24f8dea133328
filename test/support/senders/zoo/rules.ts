import { isDeepStrictEqual } from 'node:util';
import { type ZooCase, textOfValue } from './cases.ts';
import type { Stored } from './stored.ts';

export type Outcome = { readonly isTaken: boolean; readonly stored: Stored };
export type Outcomes = { readonly unleash: Outcome; readonly flagmeter: Outcome };

/** What may be different: whether a body is taken, and what is stored of a body that both take. */
export type Difference = 'isTaken' | keyof Stored;

/** A way in which flagmeter is different from Unleash on purpose. */
export type Rule = {
  readonly about: readonly Difference[];
  readonly text: string;
  readonly reason: string;
  readonly explains: (zooCase: ZooCase, outcomes: Outcomes) => boolean;
  /** Whether a difference depends on what Unleash stores first. The rule is listed wherever it may be needed. */
  readonly isByChance?: true;
};

const isNameOf = (place: string): boolean => /(appName|environment|featureName)$/.test(place);
const UNUSED =
  /(platformName|platformVersion|yggdrasilVersion|specVersion|sdkFlavor|sdkFlavorVersion|sdkType|sdkVersion|interval|environment|projects(\[\])?)$/;
const IN_THE_PAST =
  /^(zero|a number|a negative number|a negative zero|a number as text|epoch seconds|the start of 1970|40 days ago)$/;

/** Rules for bodies that Unleash rejects. */
const isOnlyTakenHere = ({ unleash, flagmeter }: Outcomes): boolean => !unleash.isTaken && flagmeter.isTaken;
const areBothTaken = ({ unleash, flagmeter }: Outcomes): boolean => unleash.isTaken && flagmeter.isTaken;
const holdsAll = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((one) => all.includes(one));

export const RULES: readonly Rule[] = [
  {
    about: ['isTaken'],
    text: 'An optional member may be missing or `null`. In place of a list or an object, 0 and an empty text are `null`.',
    reason: 'Edge sends such members, and Unleash answers 400 to its own relay.',
    explains: ({ kind }, outcomes) =>
      /^(nothing|null|zero|a negative zero|an empty text)$/.test(kind) && isOnlyTakenHere(outcomes),
  },
  {
    about: ['isTaken'],
    text: 'A name that is empty costs its row.',
    reason:
      'One bad row never costs a good one. Unleash drops some of these rows without a word, and rejects other bodies.',
    explains: ({ place, value }, outcomes) =>
      isNameOf(place) && textOfValue(value) === '' && isOnlyTakenHere(outcomes),
  },
  {
    about: ['isTaken'],
    text: 'Members that only describe the SDK, and `seenTokens`, may have any value.',
    reason: 'They must not cost the counts beside them.',
    explains: ({ place }, outcomes) =>
      (UNUSED.test(place) || place.startsWith('seenTokens')) && isOnlyTakenHere(outcomes),
  },
  {
    about: ['isTaken', 'samples'],
    text: 'A sample of an impact metric that does not fit is refused, and the rest of the body counts.',
    reason:
      'Unleash rejects such a body of a relay, ignores all samples of one of an SDK, and ignores names that begin with no letter.',
    explains: ({ place }, outcomes) =>
      place.startsWith('impactMetrics') &&
      (isOnlyTakenHere(outcomes) ||
        holdsAll(outcomes.unleash.stored.samples, outcomes.flagmeter.stored.samples)),
  },
  {
    about: ['isTaken'],
    text: 'A time may also have an offset of hours, a comma, a leap second, or a fraction of a millisecond, or be a number beyond all dates, which costs its row.',
    reason: 'All but the last are ISO 8601 or what clocks return.',
    explains: ({ place, kind }, outcomes) =>
      /(timestamp|start|stop|started)$/.test(place) &&
      /^(an offset of hours|a comma in the second|a leap second|a fraction.*|a number above 2\^53|a (negative )?number beyond all)$/.test(
        kind,
      ) &&
      isOnlyTakenHere(outcomes),
  },
  {
    about: ['metrics'],
    text: 'A row older than 30 days or more than 14 hours ahead is refused. Numbers are milliseconds, so seconds are in 1970.',
    reason: 'Unleash stores it in an hour that nobody reads.',
    explains: ({ place, kind }, outcomes) =>
      /(timestamp|stop)$/.test(place) &&
      (IN_THE_PAST.test(kind) || kind === '2 days ahead') &&
      areBothTaken(outcomes),
    isByChance: true, // Unleash may also lose it, with what it stores at the same moment
  },
  {
    about: ['instances'],
    text: 'An instance without an id, or an application without an environment, is named `default`.',
    reason: 'So does Unleash for most bodies; for some it stores an empty name.',
    explains: ({ place, value }, outcomes) =>
      /(instanceId|environment)$/.test(place) && textOfValue(value) === '' && areBothTaken(outcomes),
  },
  {
    about: ['metrics', 'instances', 'strategies'],
    text: 'A name with a control character or half of a surrogate pair costs its row.',
    reason: 'It has no form in UTF-8. Unleash stores another name.',
    explains: ({ kind }, outcomes) => kind === 'with half a surrogate pair' && areBothTaken(outcomes),
  },
  {
    about: ['strategies'],
    text: 'An application has the strategies of all its instances.',
    reason: 'Unleash keeps those of the instance that it stored last.',
    explains: ({ place }, outcomes) =>
      place.startsWith('applications[].strategies') && areBothTaken(outcomes),
    isByChance: true,
  },
  {
    about: ['instances', 'strategies'],
    text: 'SDKs in browsers are registered, also by their metrics.',
    reason: 'Unleash registers those that name their version in a header.',
    explains: ({ path }, outcomes) => path.sentBy === 'browsers' && areBothTaken(outcomes),
  },
  {
    about: ['samples'],
    text: 'A sample is refused if a number is `null` or `true`, or if the buckets of a histogram do not grow in whole numbers to its count.',
    reason: 'JSON writes NaN as `null`. Unleash stores 0, and buckets that are no histogram.',
    explains: ({ place, kind }, { unleash, flagmeter }) =>
      (/^impactMetrics\[\]\.samples\[\]\.(count|buckets)/.test(place) || /^(null|true)$/.test(kind)) &&
      holdsAll(flagmeter.stored.samples, unleash.stored.samples),
  },
  {
    about: ['isTaken'],
    text: 'The content type may also end in a semicolon or write `utf8`. UTF-8 and UTF-16 are recognised, whatever the charset says.',
    reason: 'The meaning is clear.',
    explains: ({ envelope }, outcomes) => envelope !== undefined && isOnlyTakenHere(outcomes),
  },
  {
    about: ['isTaken'],
    text: 'UTF-7 and UTF-32 get 415.',
    reason: 'No SDK or relay writes them, and the standard of JSON allows only UTF-8.',
    explains: ({ kind }, { flagmeter }) => /^in UTF-(7|32)$/.test(kind) && !flagmeter.isTaken,
  },
];

/** How the outcomes differ. A rejected body has no rows in flagmeter; Unleash may have stored some. */
export function differencesOf({ unleash, flagmeter }: Outcomes): Difference[] {
  if (unleash.isTaken !== flagmeter.isTaken) return ['isTaken'];
  if (!unleash.isTaken) return [];
  const members = ['metrics', 'instances', 'strategies', 'samples'] as const;
  return members.filter((member) => !isDeepStrictEqual(unleash.stored[member], flagmeter.stored[member]));
}
