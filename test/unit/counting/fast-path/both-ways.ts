import { expect } from 'chai';
import {
  type Batch,
  type TakeOptions,
  type TakenBatch,
  type UsualSums,
  readUsualBatch,
  takeApplications,
  takeBatch,
  validateBatch,
} from '#counting';
import { decoded, encodeTaken, takeOptions } from '../../../support/builders/builders.ts';
import { sumsOfMessage } from '../../../support/model/naive-sums.ts';

/** The usual way takes the body, and comes to the same as the general way. */
export function expectBothWays(body: Buffer, options: Partial<TakeOptions> = {}): void {
  expect(expectAgreement(body, options), body.toString('utf8', 0, 1000)).to.equal('usual');
}

/** Whatever the usual way takes, the general way takes too, and to the same counts. */
export function expectAgreement(body: Buffer, options: Partial<TakeOptions> = {}): 'usual' | 'general' {
  const usual = takeUsual(body, options);
  if (usual === undefined) return 'general';
  const general = takeGeneral(body, options);
  if (general === undefined) throw new Error('the general way refuses it');
  expect(contentOf(usual)).to.deep.equal(contentOf(general));
  return 'usual';
}

/** What the usual way makes of a body; undefined if it leaves the body to the general one. */
export function takeUsual(
  body: Buffer,
  options: Partial<TakeOptions> = {},
): TakenBatch<UsualSums> | undefined {
  const usual = readUsualBatch(body, takeOptions(options));
  if (usual === undefined) return undefined;
  const applications = parse(usual.rest)?.applications;
  if (applications === undefined) return undefined;
  const { received, sums } = usual;
  return { received, sums, ...takeApplications(applications, takeOptions(options)) };
}

export function takeGeneral(body: Buffer, options: Partial<TakeOptions> = {}): TakenBatch | undefined {
  const batch = parse(body);
  return batch && takeBatch(batch, takeOptions(options));
}

function parse(body: Buffer): Batch | undefined {
  try {
    const result = validateBatch(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    return 'batch' in result ? result.batch : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(taken: TakenBatch | TakenBatch<UsualSums>): unknown {
  const { received, refusals, applications } = taken;
  const message = decoded(encodeTaken(taken));
  const size = [message.groups.length, message.rows.length];
  return { received, refusals, applications, size, sums: sumsOfMessage(message) };
}

/** The bytes of a batch of these metrics, each as JSON. */
export function bodyOf(metrics: readonly string[]): Buffer {
  return Buffer.from(`{"applications":[],"metrics":[${metrics.join(',')}]}`);
}
