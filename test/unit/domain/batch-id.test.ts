import { type SenderHeaders, batchIdOf, partitionOfSender, senderOf } from '#domain';
import { expect } from 'chai';
import fc from 'fast-check';
import { bytesOf } from '../../support/builders.ts';

const BODY = bytesOf('{"applications":[],"metrics":[]}');

describe('senderOf', () => {
  it('prefers the connection id', () => {
    const sender = senderOf(
      headers({ connectionId: 'c', instanceId: 'i', appName: 'a', idempotencyKey: 'k' }),
    );
    expect(sender).to.equal(senderOf(headers({ connectionId: 'c' })));
  });

  it('takes instance and app together next', () => {
    const sender = senderOf(headers({ instanceId: 'i', appName: 'a', idempotencyKey: 'k' }));
    expect(sender).to.equal(senderOf(headers({ instanceId: 'i', appName: 'a' })));
  });

  it('takes the idempotency key last', () => {
    expect(senderOf(headers({ idempotencyKey: 'k' }))).to.be.a('string');
  });

  it('knows nobody by the instance alone', () => {
    expect(senderOf(headers({ instanceId: 'i' }))).to.equal(undefined);
  });

  it('knows nobody by the app alone', () => {
    expect(senderOf(headers({ appName: 'a' }))).to.equal(undefined);
  });

  it('takes an empty header for an absent one', () => {
    expect(senderOf({ connectionId: '', instanceId: '', appName: 'a', idempotencyKey: '' })).to.equal(
      undefined,
    );
  });

  it('tells apart what came by different headers', () => {
    expect(senderOf(headers({ connectionId: 'x' }))).not.to.equal(senderOf(headers({ idempotencyKey: 'x' })));
  });

  it('tells apart instances and apps whose names have spaces', () => {
    const one = senderOf(headers({ instanceId: 'web', appName: 'shop eu' }));
    expect(senderOf(headers({ instanceId: 'web shop', appName: 'eu' }))).not.to.equal(one);
  });
});

describe('batchIdOf', () => {
  it('gives equal bytes from one sender one id', () => {
    expect(batchIdOf('token', 'sender', BODY)).to.equal(batchIdOf('token', 'sender', BODY.slice()));
  });

  it('tells senders apart', () => {
    expect(batchIdOf('token', 'one', BODY)).not.to.equal(batchIdOf('token', 'two', BODY));
  });

  it('tells tokens apart', () => {
    expect(batchIdOf('one', 'sender', BODY)).not.to.equal(batchIdOf('two', 'sender', BODY));
  });

  it('tells bodies apart', () => {
    expect(batchIdOf('token', 'sender', BODY)).not.to.equal(batchIdOf('token', 'sender', bytesOf('{}')));
  });

  it('gives equal bytes without a sender two ids', () => {
    expect(batchIdOf('token', undefined, BODY)).not.to.equal(batchIdOf('token', undefined, BODY));
  });

  it('makes 22 characters that any text may carry, with and without a sender', () => {
    expect(batchIdOf('token', 'sender', BODY)).to.match(/^[\w-]{22}$/);
    expect(batchIdOf('token', undefined, BODY)).to.match(/^[\w-]{22}$/);
  });
});

describe('partitionOfSender', () => {
  it('gives one sender one partition, which exists', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1000 }), (sender, partitions) => {
        expect(partitionOfSender(sender, partitions)).to.be.within(0, partitions - 1);
        expect(partitionOfSender(sender, partitions)).to.equal(partitionOfSender(sender, partitions));
      }),
    );
  });

  it('spreads senders over all partitions', () => {
    const partitions = Array.from({ length: 200 }, (_, n) => partitionOfSender(`connection ${n}`, 8));
    expect(new Set(partitions).size).to.equal(8);
  });
});

function headers(present: Partial<SenderHeaders>): SenderHeaders {
  return {
    connectionId: undefined,
    instanceId: undefined,
    appName: undefined,
    idempotencyKey: undefined,
    ...present,
  };
}
