import { expect } from 'chai';
import fc from 'fast-check';
import { longestMessageBytes } from '#base/runtime';
import {
  type Application,
  type Metric,
  CountsEncoder,
  encodeRegistrations,
  registrationOf,
} from '#core/counting';
import { batches } from '../../../../support/builders/arbitraries.ts';
import { RECEIVED_AT, aBatch, aggregate } from '../../../../support/builders/builders.ts';

const BODY_BYTES = 102_400;

/** Items that become much longer for one reason or another. Each occurs as often as fits into the largest body. */
const GREEDY: readonly (readonly [what: string, item: Partial<Application & Metric>])[] = [
  ['the shortest applications', { appName: 'a' }],
  ['applications with intervals', { appName: 'a', interval: 1e8 }],
  ['applications behind a relay', { appName: 'a', connectVia: [{ appName: 'a', instanceId: '' }] }],
  [
    'applications behind ten relays',
    { appName: 'a', connectVia: Array.from({ length: 10 }, () => ({ appName: 'a', instanceId: '' })) },
  ],
  ['applications with platforms', { appName: 'a', platformName: 'a', yggdrasilVersion: '1' }],
  [
    'applications with one-letter strategies',
    { appName: 'a', strategies: Array.from({ length: 99 }, () => 'a') },
  ],
  ['the shortest metrics', { featureName: 'f', appName: 'a', environment: 'e' }],
  ['metrics with large counts', { featureName: 'f', appName: 'a', environment: 'e', yes: 1e15 }],
  ['metrics without a name', { featureName: '', appName: '', environment: '' }],
  [
    'metrics with names that are not displayable',
    { featureName: '\t'.repeat(255), appName: 'a', environment: 'e' },
  ],
];

describe('the longest message of a body', () => {
  for (const [what, item] of GREEDY) {
    it(`has room for ${what}`, () => {
      const count = Math.floor(BODY_BYTES / (JSON.stringify(item).length + 1));
      const items = Array.from({ length: count }, (_, index) => distinct(item, index));
      const batch = 'featureName' in item ? { metrics: items } : { applications: items };
      expectToHold(aBatch(batch as Parameters<typeof aBatch>[0]));
    });
  }

  it('has room for any batch', () => {
    fc.assert(fc.property(batches, expectToHold));
  });
});

/** Refusals with different names are stored separately. */
function distinct(item: Partial<Application & Metric>, index: number): Partial<Application & Metric> {
  return item.featureName === '' ? { ...item, environment: String(index) } : item;
}

function expectToHold(batch: Parameters<typeof aggregate>[0]): void {
  const longest = longestMessageBytes(Buffer.byteLength(JSON.stringify(batch)));
  const { received, sums, refusals, applications } = aggregate(batch);
  const registrations = applications.map((application) => registrationOf(application, RECEIVED_AT));
  const traceparent = 't'.repeat(55);
  const envelope = { batchId: 'i'.repeat(22), receivedAt: RECEIVED_AT, tokenId: 't'.repeat(64), traceparent };
  expect(Buffer.byteLength(encodeRegistrations(registrations))).to.be.at.most(longest);
  expect(new CountsEncoder().encode({ ...envelope, received }, sums, refusals).length).to.be.at.most(longest);
}
