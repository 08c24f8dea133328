import { expect } from 'chai';
import { FlagmeterError, Troubles } from '#base/runtime';

const REFUSED = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:9092'), { code: 'ECONNREFUSED' });

describe('Troubles', () => {
  it('add the reason to a sentence, until the engine is reached', () => {
    const troubles = new Troubles();
    troubles.note('Kafka', new Error('failed', { cause: REFUSED }));
    expect(troubles.after('Not ready.')).to.equal(
      'Not ready. Kafka cannot be reached: nothing listens at its address.',
    );
    troubles.clear('Kafka');
    expect(troubles.after('Not ready.')).to.equal('Not ready.');
  });

  it('repeat our own sentences, but no text of an engine, which may name hosts and users', () => {
    const troubles = new Troubles();
    troubles.note('Postgres', new Error('database "customers" of 10.0.0.7 does not exist'));
    expect(troubles.after('Not ready.')).to.equal(
      'Not ready. Postgres cannot be used. The log has the reason.',
    );
    troubles.note('Postgres', new FlagmeterError('engine', 'run flagmeter migrate'));
    expect(troubles.after('Not ready.')).to.equal('Not ready. Run flagmeter migrate.');
  });
});
