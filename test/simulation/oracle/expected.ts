import type { Ledger } from '../../../tools/relay/index.ts';
import type { Export } from '../processes/exporter.ts';
import type { Try } from '../processes/post.ts';
import { idsOf } from '../samples.ts';
import type { World } from '../world.ts';

type Delivery = Ledger['deliveries'][number];
type Attempt = Delivery['attempts'][number];

/** What relays know of a feature or a sample: how often it must and may be counted. */
export type Expected = { readonly must: number; readonly may: number };

/** By feature, and by the id of a sample: those of an acknowledged body once; of a body without an answer once or never. */
export function expectedCounts({ relays, exporters }: World): Map<string, Expected> {
  const expected = new Map<string, Expected>();
  for (const { exports } of exporters)
    for (const { kind, items, ...one } of exports)
      for (const item of kind === 'evaluations' ? items.keys() : []) expected.set(item, ofExport(one));
  for (const { relay, tries } of relays)
    for (const delivery of relay.ledger.deliveries) {
      const must = delivery.outcome === 'acknowledged' ? 1 : 0;
      const may = mostStored(delivery, tries);
      for (const item of itemsOf(delivery)) {
        const sum = expected.get(item) ?? { must: 0, may: 0 };
        expected.set(item, { must: sum.must + must, may: sum.may + may });
      }
    }
  return expected;
}

/** Whatever the last try got: an exporter does not send evaluations again in another body. */
function ofExport({ tries, isRecognised }: Pick<Export, 'tries' | 'isRecognised'>): Expected {
  const must = isAccepted({ tries }) ? 1 : 0;
  const unanswered = tries.filter(({ status }) => status === undefined).length;
  return { must, may: isRecognised ? Math.min(1, must + unanswered) : must + unanswered };
}

export function isAccepted({ tries }: Pick<Export, 'tries'>): boolean {
  return tries.at(-1)?.status === 200;
}

function* itemsOf({ metrics, impactMetrics }: Delivery): Generator<string> {
  for (const { featureName } of metrics) yield featureName;
  yield* idsOf(impactMetrics);
}

function mostStored(delivery: Delivery, tries: readonly Try[]): number {
  const { outcome, metrics, attempts } = delivery;
  const isAcknowledged = outcome === 'acknowledged';
  // Samples have no time. So a body without a metric is not recognised when it is repeated (docs/guarantees.md).
  if (metrics.length === 0)
    return (isAcknowledged ? 1 : 0) + attempts.filter(({ status }) => status === undefined).length;
  return isAcknowledged || isUnknown(delivery, tries) ? 1 : 0;
}

function isUnknown({ outcome, attempts }: Delivery, tries: readonly Try[]): boolean {
  if (outcome === 'merged-back') return mayBeStored(attempts, tries);
  // The token was revoked between two tries, and the relay drops the body.
  if (outcome === 'dropped') return attempts.some(({ status }) => status === undefined);
  return outcome === 'unknown';
}

/**
 * Whether a body that was rejected at last may be stored: an earlier try without an answer reached another process of ingest, or it
 * arrived after the rejection. No receiver can prevent that. Otherwise a rejection means that no try is stored.
 */
function mayBeStored(attempts: readonly Attempt[], tries: readonly Try[]): boolean {
  const own = attempts.map(({ startedAt }) => tries.filter((one) => one.startedAt === startedAt));
  const last = own.at(-1)?.[0];
  if (attempts.every(({ status }) => status !== undefined)) return false;
  return own.some(([one, other]) => {
    if (one === undefined || last === undefined || other !== undefined) return true;
    return one.life !== last.life || (one.arrivedAt ?? 0) > (last.arrivedAt ?? 0);
  });
}

/** `what` names a table and a feature or a sample. */
export function* judgeOnce(what: string, counted: number, { must, may }: Expected): Generator<string> {
  if (counted < must) yield `lost: ${what} ${counted} times, acknowledged ${must} times`;
  if (counted > may) yield `doubled: ${what} ${counted} times, sent at most ${may} times`;
  if (!Number.isInteger(counted)) yield `torn: ${what} only in part`;
}
