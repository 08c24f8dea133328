import { expect } from 'chai';
import fc from 'fast-check';
import type { Exchange } from '#base/http';
import { Counter } from '#base/runtime';
import { type BatchNames, CountsEncoder, DistinctNames, inOneGo } from '#core/counting';
import type { FormBatch, ReadOptions } from '../../../../../services/ingest/body-forms.ts';
import { LongBodies } from '../../../../../services/ingest/bodies/long-bodies.ts';
import { createOtlpForm } from '../../../../../services/ingest/opentelemetry/otlp-forms.ts';
import {
  KnownPoints,
  type OtlpEncoding,
} from '../../../../../services/ingest/opentelemetry/reading/index.ts';
import { RECEIVED_AT, aggregateOptions } from '../../../../support/builders/builders.ts';
import { DEFAULT_NAME_LIMITS } from '../../../../support/builders/name-limits.ts';

const MIB = 1024 * 1024;

export const otlpIgnored = new Counter({
  name: 'ignored',
  help: 'help',
  labelNames: ['signal'],
  registers: [],
});
const encoder = new CountsEncoder();

export function formOf(encoding: OtlpEncoding) {
  return createOtlpForm('metrics', encoding, {
    maxBodyBytes: MIB,
    maxMessageBytes: MIB,
    longBodies: new LongBodies(),
    knownPoints: new KnownPoints(),
    metrics: { otlpIgnored },
  });
}

type Form = ReturnType<typeof formOf>;

/** What a token sent in an hour, one body after the other, by the fast and by the general path. */
type Names = {
  readonly environment: string;
  readonly ofFast: DistinctNames;
  readonly ofGeneral: DistinctNames;
};

export type Way = 'fast' | 'general' | 'rejected';

/** Which path counts a body. If it is the fast one, the general path counts the same, and admits as many names. */
export function agreement(form: Form, body: Buffer, { environment, ofFast, ofGeneral }: Names): Way {
  const [namesOfFast, namesOfGeneral] = [ofFast.of('token', 0), ofGeneral.of('token', 0)];
  const fast = form.readFast?.(body, optionsOf(environment, namesOfFast));
  const general = readGeneral(form, body, optionsOf(environment, namesOfGeneral));
  if (general === undefined) {
    expect(fast).to.equal(undefined);
    return 'rejected';
  }
  if (fast === undefined) expect(namesOfFast.savepoint()).to.equal(0);
  else {
    expect(contentOf(fast)).to.deep.equal(contentOf(general));
    expect(namesOfFast.savepoint()).to.equal(namesOfGeneral.savepoint());
  }
  namesOfGeneral.commit();
  if (fast === undefined) readGeneral(form, body, optionsOf(environment, namesOfFast));
  namesOfFast.commit();
  return fast === undefined ? 'general' : 'fast';
}

/** With the usual limits of names. */
export function agreementOn(form: Form, body: Uint8Array<ArrayBuffer> | string): Way {
  const names = (): DistinctNames => new DistinctNames(DEFAULT_NAME_LIMITS);
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
  return agreement(form, bytes, { environment: '*', ofFast: names(), ofGeneral: names() });
}

/** How often each path counts the bodies of a property; `limit`: how many names of each kind the token may send. */
export function countWays(form: Form, bodies: fc.Arbitrary<Buffer>, numRuns: number): Record<Way, number> {
  const ways = { fast: 0, general: 0, rejected: 0 };
  const environments = fc.constantFrom('*', '*', 'production');
  const sent = fc.array(bodies, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(sent, environments, fc.integer({ min: 1, max: 12 }), (all, environment, limit) => {
      const names = { environment, ofFast: namesWithin(limit), ofGeneral: namesWithin(limit) };
      for (const body of all) ways[agreement(form, body, names)] += 1;
    }),
    { numRuns },
  );
  return ways;
}

/** The general path, which reads all short bodies that are not read at once. */
function readGeneral(form: Form, body: Buffer, readOptions: ReadOptions): FormBatch | undefined {
  try {
    return inOneGo(form.read(body, readOptions));
  } catch {
    return undefined;
  }
}

export function optionsOf(environment: string, names?: BatchNames): ReadOptions {
  return {
    ...aggregateOptions({ allowedEnvironment: environment, names }),
    scope: { id: 'token', environment, projects: ['payments'] },
  };
}

/** The message, the answer, and what is done beside them. */
export function contentOf(batch: FormBatch): unknown {
  const { refusals, applications, hasExactTime, sender } = batch;
  const message = messageOf(batch);
  const answer = { status: 0, body: undefined as unknown, set: () => undefined };
  batch.acknowledge?.(answer as unknown as Exchange); // only what is used exists
  return { message, refusals, applications, hasExactTime, sender, status: answer.status, body: answer.body };
}

type Counted = Pick<FormBatch, 'received' | 'sums' | 'refusals' | 'reasons' | 'points'>;

export function messageOf({ received, sums, refusals, reasons, points }: Counted): string {
  const envelope = { batchId: 'id', receivedAt: RECEIVED_AT, tokenId: 'token', traceparent: undefined };
  return encoder.encode({ ...envelope, received, reasons, points }, sums, refusals).toString('latin1');
}

function namesWithin(limit: number): DistinctNames {
  const limits = Object.fromEntries(Object.keys(DEFAULT_NAME_LIMITS).map((kind) => [kind, limit]));
  return new DistinctNames({ ...DEFAULT_NAME_LIMITS, ...limits });
}
