import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccountingReader,
  AccountingUnavailableError,
  openAccounting,
  sumTallies,
} from '#core/accounting';
import { type ClickHouse, openClickHouse, readRows } from '#core/clickhouse';
import { createRandom } from '#tooling/traffic';
import { type Relay, createHttpTransport, createRelay } from '../../relay/index.ts';
import { createLog, readConfig } from '#base/runtime';
import { RunError, listOf } from '#tooling/stack';
import { type Sent, findDisagreements, readViews } from './comparison.ts';
import { expectationOf } from './expectation.ts';
import { type LossyTransport, createLossyTransport } from './lost-answers.ts';
import { featureTable, refusalLine, tallyLine } from './report.ts';
import { ENVIRONMENTS, PUSHES, recordTraffic } from './traffic.ts';

export type ProofOptions = {
  /** Base URL of flagmeter. */
  readonly url: string;
  /** Environment variables of flagmeter. */
  readonly env: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

const PUSH_INTERVAL_MS = 1000;
/** The answer to this push is lost, so that the relay sends the same bytes twice. */
const LOSSY_PUSH = 9;
const LAST_PUSHES = 10;
const STORED_DEADLINE_MS = 120_000;

/**
 * Sends the traffic, waits until all of it is stored, and prints both sides. Throws a RunError unless every number
 * agrees.
 */
export async function proveCounting(options: ProofOptions): Promise<void> {
  const config = readConfig(options.env);
  const db = openClickHouse(config.clickhouse);
  const accounting = openAccounting(config, createLog('demo', 'fatal'));
  const transport = createLossyTransport(createHttpTransport());
  const random = createRandom(options.seed);
  const tokens = tokensByEnvironment(options.env);
  const relay = createRelay({ url: options.url, tokens, random, transport });
  const proof: Proof = { ...options, db, accounting, transport, random, relay, startedAt: Date.now() };
  try {
    await send(proof);
    await waitUntilStored(proof);
    await compare(proof);
  } finally {
    relay.close();
    await accounting.close();
    await db.close();
  }
}

type Proof = ProofOptions & {
  readonly db: ClickHouse;
  readonly accounting: AccountingReader;
  readonly transport: LossyTransport;
  readonly random: () => number;
  readonly relay: Relay;
  readonly startedAt: number;
};

function tokensByEnvironment(env: ProofOptions['env']): Record<string, string> {
  const clients = listOf(env['INIT_CLIENT_API_TOKENS'] ?? '');
  const tokenFor = (environment: string): string =>
    clients.find((secret) => secret.startsWith(`*:${environment}.`)) ?? '';
  return Object.fromEntries(ENVIRONMENTS.map((environment) => [environment, tokenFor(environment)]));
}

async function send(proof: Proof): Promise<void> {
  const { relay, transport, say, signal, startedAt } = proof;
  for (let push = 1; push <= PUSHES; push += 1) {
    recordTraffic(proof, push);
    if (push === LOSSY_PUSH) {
      say('now the answer to one request is lost on purpose: the relay will send the same bytes again');
      transport.loseNextAnswer();
    }
    await relay.push();
    say(await progress(proof));
    await sleep(Math.max(0, startedAt + push * PUSH_INTERVAL_MS - Date.now()), undefined, { signal });
  }
  await sendRest(proof);
}

/** Repeats pushes until nothing is left that was not accepted. */
async function sendRest({ relay, signal }: Proof): Promise<void> {
  for (let push = 1; push <= LAST_PUSHES; push += 1) {
    const requests = relay.ledger.deliveries.length;
    await relay.push();
    if (relay.ledger.deliveries.length === requests) return;
    await sleep(PUSH_INTERVAL_MS, undefined, { signal });
  }
  throw new RunError('flagmeter does not accept the data of the relay.');
}

async function progress({ relay, db }: Proof): Promise<string> {
  const { deliveries } = relay.ledger;
  const sent = deliveries.reduce((sum, { metrics }) => sum + metrics.length, 0);
  const acknowledged = relay.ledger.metricsOf('acknowledged').length;
  const [row] = await readRows<{ stored: string }>(db, 'select sum(reports) as stored from usage_by_hour');
  const figures = [sent, acknowledged, Number(row?.stored)].map((figure) => figure.toLocaleString('en'));
  const [shownSent, shownAcknowledged, stored] = figures;
  return `${deliveries.length} requests with ${shownSent} metrics sent, ${shownAcknowledged} acknowledged, ${stored} stored`;
}

async function waitUntilStored(proof: Proof): Promise<void> {
  const { accounting, say, signal } = proof;
  const deadline = Date.now() + STORED_DEADLINE_MS;
  for (;;) {
    if (await isEverythingStored(accounting)) return;
    if (Date.now() > deadline) {
      throw new RunError(
        `Not everything was stored within ${STORED_DEADLINE_MS / 1000} s of the last request.`,
      );
    }
    say(await progress(proof));
    await sleep(PUSH_INTERVAL_MS, undefined, { signal });
  }
}

/** An engine of a busy machine may answer later. */
async function isEverythingStored(accounting: AccountingReader): Promise<boolean> {
  try {
    const { partitions } = await accounting.read();
    return partitions.every(({ inFlight }) => inFlight === 0n);
  } catch (error) {
    if (error instanceof AccountingUnavailableError) return false;
    throw error;
  }
}

async function compare({ relay, transport, db, accounting, say, startedAt }: Proof): Promise<void> {
  const { ledger } = relay;
  const unanswered = ledger.deliveries.flatMap(({ attempts, metrics }) =>
    attempts.filter(({ status }) => status === undefined).map(() => metrics.length),
  );
  const sentTwice = transport.metricsSentTwice();
  const maybeSentTwice = unanswered.reduce((sum, metrics) => sum + metrics, 0) - sentTwice;
  const sent: Sent = { expected: expectationOf(ledger, startedAt), sentTwice, maybeSentTwice };
  const compared = await accounting.readAgreed();
  const stored = await readViews(db);
  say('everything is stored; the acknowledged numbers of the relay, compared with the views:\n');
  console.log(featureTable(sent.expected.views, stored));
  const tally = sumTallies(compared.accounting.partitions);
  console.log(`\n${tallyLine(tally)}`);
  console.log(`  refused: ${refusalLine(stored.refusals)}`);
  console.log(`  duplicate: the metrics of the request whose answer was lost (${sentTwice})`);
  const disagreements = findDisagreements(sent, stored, compared);
  for (const text of disagreements.slice(0, 20)) console.log(`  ${text}`);
  for (const outcome of ['dropped', 'unknown'] as const) {
    const lost = ledger.metricsOf(outcome).length;
    if (lost > 0) throw new RunError(`${lost} metrics were sent in requests that ended as ${outcome}.`);
  }
  if (disagreements.length > 0) throw new RunError(`${disagreements.length} numbers do not agree.`);
  const rows = Object.values(stored).reduce((sum, figures) => sum + figures.size, 0);
  console.log(`Every number agrees: ${rows.toLocaleString('en')} rows of six views, and the accounting.\n`);
}
