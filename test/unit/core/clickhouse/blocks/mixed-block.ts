import { type Block, DuplicateWindow, buildBlock } from '#core/counting';
import {
  RECEIVED_AT,
  aCounter,
  aLogMessage,
  aMetric,
  aPoisonMessage,
  impactOfEveryType,
} from '../../../../support/builders/builders.ts';

const HOUR_MS = 3_600_000;

/** Two batches with counts of two days, variants, reasons, refusals and samples; one of them again; and one that nobody can decode. */
export function aMixedBlock(): Block {
  const first = {
    batchId: 'first',
    metrics: [
      aMetric({ yes: 2, no: 1, timestamp: iso(-24), variants: { on: 2, off: 1 } }),
      aMetric({ yes: 3, timestamp: iso(-1), variants: { on: 3 } }),
      aMetric({ yes: 4, variants: { on: 4 } }),
      aMetric({ featureName: 'old', yes: 9, timestamp: iso(-24 * 90) }),
    ],
    reasons: [{ reason: 'SPLIT' }, { reason: 'ERROR', errorType: 'timeout', countOf: () => 1 }],
    impactMetrics: [...impactOfEveryType(), aCounter(), aGauge(12), { name: 'broken' }],
  };
  const second = {
    batchId: 'second',
    receivedAt: RECEIVED_AT + HOUR_MS,
    metrics: [aMetric({ no: 5, featureName: 'other', timestamp: iso(1) })],
    unknown: 6,
    impactMetrics: impactOfEveryType(),
  };
  const messages = [
    aLogMessage({ ...first, offset: 5 }),
    aLogMessage({ ...second, offset: 6, appendedAt: RECEIVED_AT + HOUR_MS + 1500 }),
    aLogMessage({ ...first, offset: 7 }),
    aPoisonMessage({ offset: 8, appendedAt: RECEIVED_AT + HOUR_MS + 2000 }),
  ];
  const range = { topic: 'counts', epoch: 2, partition: 3, from: 5n, to: 9n };
  return buildBlock(range, messages, { duplicates: new DuplicateWindow(45_000) }).block;
}

/** Another value of the gauge in `impactOfEveryType`. */
function aGauge(value: number): unknown {
  const labels = { 'new-basket': 'blue', appName: 'checkout', environment: 'production' };
  return aCounter({ name: 'load', type: 'gauge', samples: [{ value, labels }] });
}

function iso(hours: number): string {
  return new Date(RECEIVED_AT + hours * HOUR_MS).toISOString();
}
