import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../requests/post.ts';
import * as clients from './client-tokens.ts';
import { type Crowd, aStranger } from './crowd.ts';
import { CURIOUS_QUERIES, STRANGERS, isAnswered } from './engine-ports.ts';
import { type ClickHouseAccess, askManyTimes, holdAPlace, holdMemory } from './readers.ts';
import * as strangers from './strangers.ts';
import * as viewers from './viewers.ts';
import { type PageRequest, askAsPage, foreignHosts, foreignOrigins } from './web-pages.ts';

/** The targets of the attacks, and the tokens of the attackers. */
export type Target = {
  readonly ingest: string;
  readonly admin: string;
  /** URL of an admin API without authentication. */
  readonly open: string;
  readonly viewer: string;
  /** ClickHouse as people reach it, with the password of readers and analysts. */
  readonly clickhouse: Omit<ClickHouseAccess, 'username'>;
};

/**
 * One round of an attack. Returns the number of requests by outcome. Rounds follow one another until the run ends.
 */
type Round = (round: number, signal: AbortSignal) => Promise<readonly string[]>;

/** How often each answer came, by attack. */
export type Tallies = Readonly<Record<string, Readonly<Record<string, number>>>>;

const ACCOUNTING = '/api/admin/metrics/accounting';
/** Longer than a client may take to read an answer or to send a body. */
const CROWD_STAYS_MS = 22_000;
/** The attacker uses only a few connections, because here it shares its CPU with the attacked processes. */
const PAUSE_MS = 50;

/** Runs all attacks at once, each from its own address, until `signal`. */
export async function attackWithAll(target: Target, signal: AbortSignal): Promise<Tallies> {
  const rounds = Object.entries({
    ...crowdsAt(target),
    ...bodiesAt(target),
    ...callsAt(target),
    ...pagesAt(target),
    ...queriesAt(target),
  });
  const tallies = rounds.map(async ([name, round]) => [name, await repeat(round, signal)] as const);
  return Object.fromEntries(await Promise.all(tallies));
}

function crowdsAt({ ingest, admin, viewer }: Target): Record<string, Round> {
  return {
    'unread answers': crowds((from) => strangers.readNothing(admin, from, 9)),
    'unread answers, then cut connections': crowds((from) => strangers.readNothing(admin, from, 1000)),
    'idle connections': crowds((from) => strangers.keepConnections(ingest, from, 3000)),
    documentation: crowds((from) => strangers.askForDocumentation(admin, from, 300)),
    'slow validation': crowds((from) => strangers.validateSlowly(ingest, from, 300)),
    'guessed secrets': crowds((from) => strangers.guessSecrets(ingest, from, 40)),
    'invented tokens': crowds((from) => strangers.pushInvented(ingest, from, 800)),
    'broken requests': crowds((from) => strangers.sendBroken(ingest, from, 400)),
    'readiness and metrics': crowds((from) => strangers.askForReadiness(admin, from, 400)),
    'announced bodies': crowds((from) => clients.announceBodies(ingest, from, 700)),
    'bodies without their last byte': crowds((from) => clients.withholdLastBytes(ingest, from, 700)),
    'unread lists': crowds(() => viewers.openLists(admin, viewer)),
  };
}

function bodiesAt({ ingest }: Target): Record<string, Round> {
  const send = (body: string): Promise<string> => clients.pushAsAttacker(ingest, body);
  return {
    'dearest bodies': () => Promise.all(Array.from({ length: 4 }, () => send(clients.DEAREST))),
    'new names': async (round) => [await send(clients.newNames(round))],
    combinations: async (round) => [await send(clients.combinationsOf(round % 700, 'development'))],
    'wide applications': async (round) => {
      const wide = clients.wideApplication(`wide-${round}`, { projects: 400, strategies: 90 });
      return [await send(bodyOf({ applications: [wide] }))];
    },
  };
}

function callsAt({ admin, viewer }: Target): Record<string, Round> {
  const read = (path: string): Promise<string> => viewers.read(admin, viewer, path);
  return {
    'own tokens': () => viewers.makeAndDeleteToken(admin, viewer),
    feedback: async () => [await viewers.writeLongFeedback(admin, viewer)],
    accounting: () => Promise.all([read(ACCOUNTING), read('/api/admin/metrics/verdicts')]),
    applications: async () => [await read('/api/admin/metrics/applications')],
    'accounting since different times': (round) =>
      Promise.all(
        Array.from({ length: 12 }, (_, at) => read(`${ACCOUNTING}?since=${1 + ((12 * round + at) % 700)}h`)),
      ),
  };
}

function pagesAt({ open }: Target): Record<string, Round> {
  const { port, host } = new URL(open);
  const change = { method: 'POST', path: '/api/admin/projects' };
  return {
    'web pages under other names': () =>
      Promise.all(foreignHosts(port).map((name) => ask({ headers: { host: name } }))),
    'web pages of other origins': () =>
      Promise.all(foreignOrigins(port).map((origin) => ask({ headers: { host, origin }, ...change }))),
  };

  async function ask(request: PageRequest): Promise<string> {
    return String(await askAsPage(open, request));
  }
}

function queriesAt({ clickhouse }: Target): Record<string, Round> {
  const hold =
    (username: string, count: number, query: string): Round =>
    async () =>
      Object.entries(await askManyTimes({ ...clickhouse, username }, count, query).ended).flatMap(
        ([fate, times]) => Array<string>(times).fill(fate),
      );
  return {
    'port of ClickHouse': () =>
      Promise.all(
        STRANGERS.flatMap((stranger) =>
          CURIOUS_QUERIES.map(async (query) =>
            (await isAnswered(clickhouse.url, query, stranger)) ? 'answered' : 'rejected',
          ),
        ),
      ),
    'queries of readers': hold('flagmeter_reader', 54, holdAPlace(20)),
    'memory of analysts': hold('analyst', 12, holdMemory(20)),
  };
}

/** A crowd connects, stays and leaves. All its clients have one address. */
function crowds(gather: (from: string) => Promise<Crowd>): Round {
  const from = aStranger();
  return async (_round, signal) => {
    const crowd = await gather(from);
    await sleep(CROWD_STAYS_MS, undefined, { signal }).catch(() => undefined); // the run is over
    const tally = crowd.tally();
    crowd.leave();
    return Object.entries(tally).flatMap(([fate, count]) => Array<string>(count).fill(fate));
  };
}

async function repeat(round: Round, signal: AbortSignal): Promise<Record<string, number>> {
  const tally: Record<string, number> = {};
  for (let at = 0; !signal.aborted; at += 1) {
    for (const answer of await round(at, signal).catch(() => ['none']))
      tally[answer] = (tally[answer] ?? 0) + 1;
    await sleep(PAUSE_MS);
  }
  return tally;
}
