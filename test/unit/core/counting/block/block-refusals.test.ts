import { expect } from 'chai';
import {
  RECEIVED_AT,
  aBatch,
  aLogMessage,
  aMetric,
  anApplication,
  encodeAggregated,
  aggregate,
} from '../../../../support/builders/builders.ts';
import { afterMs, blockOf } from '../../../../support/model/replay.ts';

describe('the refusals of a block', () => {
  it('adds up refused metrics by reason and names', () => {
    const metrics = [
      aMetric({ featureName: '' }),
      aMetric({ featureName: '' }),
      aMetric({ environment: 'dev' }),
    ];
    const message = aLogMessage({ metrics, tokenId: 't', allowedEnvironment: 'production' });
    const block = blockOf([message]);
    expect(block.tally).to.include({ received: 3, counted: 0, refused: 3 });
    expect(block.refusedByReason).to.deep.equal(
      new Map([
        ['empty_name', 2],
        ['environment_not_allowed', 1],
      ]),
    );
    expect(block.refusals[1]).to.include({
      tokenId: 't',
      environment: 'dev',
      metrics: 1,
      receivedAt: RECEIVED_AT,
    });
  });

  it('names refused applications, and leaves them out of the refused metrics', () => {
    const aggregated = aggregate(
      aBatch({ metrics: [aMetric()], applications: [anApplication({ appName: '' })] }),
    );
    const block = blockOf([{ ...aLogMessage(), value: encodeAggregated(aggregated) }]);
    expect(block.refusals.map(({ kind, metrics }) => [kind, metrics])).to.deep.equal([['application', 1]]);
    expect(block.tally).to.include({ received: 1, counted: 1, refused: 0 });
    expect([...block.refusedByReason]).to.deep.equal([]);
  });

  it('adds up equal refusals of several messages', () => {
    const metrics = [aMetric({ featureName: '' })];
    const messages = [0, 1].map((offset) => aLogMessage({ offset, batchId: `b${offset}`, metrics }));
    expect(blockOf(messages).refusals.map((refusal) => refusal.metrics)).to.deep.equal([2]);
  });

  it("names at most 100 different refusals of a token, counts its others, and hides nobody else's", () => {
    const messages = Array.from({ length: 5 }, (_, offset) => {
      const metrics = Array.from({ length: 90 }, (_metric, n) =>
        aMetric({ featureName: '', appName: `${offset}-${n}` }),
      );
      return aLogMessage({ offset, batchId: `b${offset}`, tokenId: 'flooding', metrics });
    });
    const other = aLogMessage({ offset: 5, batchId: 'other', metrics: [aMetric({ featureName: '' })] });
    const { refusals, refusedByReason } = blockOf([...messages, other]);
    const flooding = refusals.filter(({ tokenId }) => tokenId === 'flooding');
    expect(flooding.filter(({ appName }) => appName !== '')).to.have.length(100);
    expect(flooding.filter(({ appName }) => appName === '').map(({ metrics }) => metrics)).to.deep.equal([
      350,
    ]);
    expect(refusals.filter(({ tokenId }) => tokenId === 'token')).to.have.length(1);
    expect(refusals.at(-1)).to.include({ appName: 'checkout', metrics: 1 });
    expect([...refusedByReason]).to.deep.equal([['empty_name', 451]]);
  });

  it('dates a refusal at the latest when the broker received the message', () => {
    const metrics = [aMetric({ featureName: '' })];
    const ahead = aLogMessage({ metrics, receivedAt: afterMs(5000), appendedAt: afterMs(0) });
    expect(blockOf([ahead]).refusals[0]?.receivedAt).to.equal(afterMs(0));
  });
});
