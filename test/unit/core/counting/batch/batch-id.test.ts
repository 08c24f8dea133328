import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  batchIdOf,
  isExactTime,
  keyOfSender,
  ownerOfBatch,
  partitionOfSender,
  senderOf,
} from '#core/counting';
import { bytesOf } from '../../../../support/builders/builders.ts';

const BODY = bytesOf('{"applications":[],"metrics":[]}');

const EDGE = { userAgent: 'unleash-edge-20.1.0' };

describe('senderOf', () => {
  it('prefers the idempotency key', () => {
    const sender = senderOf({
      ...EDGE,
      connectionId: 'c',
      instanceId: 'i',
      appName: 'a',
      idempotencyKey: 'k',
    });
    expect(sender).to.deep.equal(senderOf({ idempotencyKey: 'k' }));
    expect(sender?.kind).to.equal('key');
  });

  it('then uses the connection id', () => {
    const sender = senderOf({ connectionId: 'c', instanceId: 'i', appName: 'a' });
    expect(sender).to.deep.equal(senderOf({ connectionId: 'c' }));
  });

  it('uses instance and app together last', () => {
    expect(senderOf({ instanceId: 'i', appName: 'a' })?.kind).to.equal('none');
  });

  it('recognises an Edge by its user agent', () => {
    expect(senderOf({ ...EDGE, connectionId: 'c' })?.kind).to.equal('edge');
    expect(senderOf({ ...EDGE, instanceId: 'i', appName: 'a' })?.kind).to.equal('edge');
    expect(senderOf({ userAgent: 'my-unleash-edge-1', connectionId: 'c' })?.kind).to.equal('none');
  });

  it('returns no sender for the instance, the app or the user agent alone', () => {
    for (const headers of [{ instanceId: 'i' }, { appName: 'a' }, EDGE])
      expect(senderOf(headers)).to.equal(undefined);
  });

  it('treats an empty header as an absent one', () => {
    expect(senderOf({ connectionId: '', instanceId: '', appName: 'a', idempotencyKey: '' })).to.equal(
      undefined,
    );
  });

  it('differs for different headers', () => {
    expect(senderOf({ connectionId: 'x' })?.name).not.to.equal(senderOf({ idempotencyKey: 'x' })?.name);
  });

  it('differs for different values of one header', () => {
    for (const header of ['idempotencyKey', 'connectionId'] as const) {
      const [one, two] = ['one', 'two'].map((value) => senderOf({ [header]: value })?.name);
      expect(one, header).not.to.equal(two);
    }
  });

  it('differs for instances and apps whose names have spaces', () => {
    const one = senderOf({ instanceId: 'web', appName: 'shop eu' });
    expect(senderOf({ instanceId: 'web shop', appName: 'eu' })?.name).not.to.equal(one?.name);
  });
});

describe('isExactTime', () => {
  it('treats the beginning of an hour as an hour, not as an exact time', () => {
    const hour = Date.UTC(2026, 10, 21, 10);
    expect([hour, hour + 1, hour + 60_000].map(isExactTime)).to.deep.equal([false, true, true]);
  });
});

describe('batchIdOf', () => {
  it('gives equal bytes of one sender the same id', () => {
    expect(batchIdOf('token', 'sender', BODY)).to.equal(batchIdOf('token', 'sender', BODY.slice()));
  });

  it('differs for different senders', () => {
    expect(batchIdOf('token', 'one', BODY)).not.to.equal(batchIdOf('token', 'two', BODY));
  });

  it('differs for different tokens', () => {
    expect(batchIdOf('one', 'sender', BODY)).not.to.equal(batchIdOf('two', 'sender', BODY));
  });

  it('differs for different bodies', () => {
    expect(batchIdOf('token', 'sender', BODY)).not.to.equal(batchIdOf('token', 'sender', bytesOf('{}')));
  });

  it('gives equal bytes without a sender another id each time, however often they come', () => {
    const ids = Array.from({ length: 1000 }, () => batchIdOf('token', undefined, BODY));
    expect(new Set(ids).size).to.equal(1000);
    for (const id of ids) expect(id).to.match(/^[\w-]{22}$/);
  });

  it('has 22 characters that are safe in any text, with and without a sender', () => {
    expect(batchIdOf('token', 'sender', BODY)).to.match(/^[\w-]{22}$/);
    expect(batchIdOf('token', undefined, BODY)).to.match(/^[\w-]{22}$/);
  });
});

describe('ownerOfBatch', () => {
  it('is the same for all batches of a token, and another one for another token', () => {
    const tokens = Array.from({ length: 500 }, () => randomUUID());
    const ownersOf = (token: string) =>
      [undefined, 'one', 'two'].map((sender) => ownerOfBatch(batchIdOf(token, sender, BODY)));
    for (const token of tokens) expect(new Set(ownersOf(token)).size).to.equal(1);
    expect(new Set(tokens.flatMap(ownersOf)).size).to.be.above(490);
  });
});

describe('keyOfSender', () => {
  it('is as long for every name, the same in every process, and another one for another name', () => {
    const keys = ['', 'connection a', 'connection b', 'x'.repeat(900_000)].map(keyOfSender);
    expect(keys.map((key) => key.length)).to.deep.equal([22, 22, 22, 22]);
    expect(new Set(keys).size).to.equal(4);
    expect(keyOfSender('connection a')).to.equal('rSOkWYDN-nh0NFaRzlAGHR');
  });
});

describe('partitionOfSender', () => {
  it('gives a sender always the same, existing partition', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1000 }), (name, partitions) => {
        const sender = keyOfSender(name);
        expect(partitionOfSender(sender, partitions)).to.be.within(0, partitions - 1);
        expect(partitionOfSender(sender, partitions)).to.equal(partitionOfSender(sender, partitions));
      }),
    );
  });

  it('spreads senders over all partitions', () => {
    const partitions = Array.from({ length: 200 }, (_, n) =>
      partitionOfSender(keyOfSender(`connection ${n}`), 8),
    );
    expect(new Set(partitions).size).to.equal(8);
  });
});
