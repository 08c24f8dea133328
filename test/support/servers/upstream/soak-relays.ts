import { setMaxListeners } from 'node:events';
import {
  type Relay,
  type Transport,
  createHttpTransport,
  createRelay,
  realClock,
  sumMetrics,
} from '../../../../tools/relay/index.ts';
import type { Random } from '../../builders/random.ts';
import { MIRRORED_FEATURES } from './mirrored-load.ts';

/** A relay under load, with its own applications. */
export type SoakRelay = {
  readonly relay: Relay;
  readonly appName: string;
  /** Whether flagmeter recognises its repeated bodies. */
  readonly isIdentified: boolean;
  /** Resolves after the last push. */
  readonly finished: Promise<void>;
};

type Sender = 'edge' | 'key' | 'anonymous';

/** Two of each kind: like Edge, with an idempotency key, and without anything that identifies the sender. */
const SENDERS: readonly Sender[] = ['edge', 'edge', 'key', 'key', 'anonymous', 'anonymous'];
const PUSH_EVERY_MS = 1000;
const EVALUATE_EVERY_MS = 50;

export type SoakRelaysOptions = {
  readonly url: string;
  /** The secret of each environment. */
  readonly tokens: Readonly<Record<'production' | 'development', string>>;
  readonly random: Random;
  /** Its abort ends the relays after a last push. */
  readonly signal: AbortSignal;
};

/** Relays whose SDKs evaluate all the time. They push each second. */
export function startRelays({ url, tokens, random, signal }: SoakRelaysOptions): SoakRelay[] {
  setMaxListeners(2 * SENDERS.length, signal);
  return SENDERS.map((sender, index) => {
    const transport = identifying(createHttpTransport(), { sender, index });
    const relay = createRelay({ url, tokens, random: () => random.next(), transport });
    const appName = `app-of-relay-${index}`;
    const finished = run(relay, { appName, random, signal });
    return { relay, appName, isIdentified: sender !== 'anonymous', finished };
  });
}

/** The acknowledged sums, in the form of `countedSums`. */
export function acknowledgedSums(relays: readonly SoakRelay[]): Record<string, number> {
  const metrics = relays.flatMap(({ relay }) => relay.ledger.metricsOf('acknowledged'));
  const sums = sumMetrics(metrics).flatMap(
    ({ environment, appName, featureName, hour, yes, no, variants }) => {
      const key = [environment, appName, featureName, new Date(hour * 3_600_000).toISOString()].join(' ');
      const ofVariants = [...variants].map(([variant, count]) => [`${key} =${variant}`, count] as const);
      return [[`${key} yes`, yes] as const, [`${key} no`, no] as const, ...ofVariants];
    },
  );
  return Object.fromEntries(sums.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The proxy knows relays by `x-soak-relay`, which flagmeter ignores. */
function identifying(
  transport: Transport,
  { sender, index }: { readonly sender: Sender; readonly index: number },
): Transport {
  return {
    post(request) {
      const own = sender === 'edge' ? request.headers : withoutSender(request.headers);
      const key = sender === 'key' ? { 'idempotency-key': `relay-${index}` } : {};
      return transport.post({ ...request, headers: { ...own, ...key, 'x-soak-relay': String(index) } });
    },
    close() {
      transport.close();
    },
  };
}

function withoutSender(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('unleash-')));
}

type Running = { readonly appName: string } & Pick<SoakRelaysOptions, 'random' | 'signal'>;

async function run(relay: Relay, running: Running): Promise<void> {
  await Promise.all([evaluate(relay, running), relay.run(PUSH_EVERY_MS, running.signal)]);
  relay.close();
}

async function evaluate(relay: Relay, { appName, random, signal }: Running): Promise<void> {
  while (!signal.aborted) {
    relay.record({
      featureName: random.pick(MIRRORED_FEATURES),
      appName,
      environment: random.pick(['production', 'development']),
      at: Date.now(),
      yes: random.between(0, 100),
      no: random.between(0, 100),
      variants: random.next() < 0.5 ? {} : { blue: random.between(1, 50), green: random.between(1, 50) },
    });
    await realClock.sleep(EVALUATE_EVERY_MS, signal);
  }
}
