import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { type Bus, type FindTokens, createTokens, createTokenVerifier } from '#base/auth';
import { hashSecret } from '#base/tokens';
import { aToken } from '../../../support/builders/builders.ts';
import { BUS_WAYS, type BusWay } from '../../../support/stack/bus/bus-ways.ts';
import { overheard } from '../../../support/stack/bus/overheard.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';

for (const [name, openWay] of Object.entries(BUS_WAYS))
  describe(`revocations through ${name}`, () => {
    const world = sharedUncountedWorld();
    let way: BusWay;
    /** Of the process that verifies, and of the one that revokes. */
    let here: Bus;
    let elsewhere: Bus;

    before(async () => {
      way = await openWay();
      [here, elsewhere] = await Promise.all([way.open(), way.open()]);
    });
    after(() => way.close());

    it('by another process reject a token to earlier and later callers while the token is looked up', async () => {
      const created = aToken();
      const { secret } = created;
      const tokens = createTokens(world.db);
      const token = await tokens.create(created);
      // The first answer was read from Postgres before the revocation and arrives after it.
      const wire = new EventEmitter();
      let queries = 0;
      const findTokens: FindTokens = async (hashes) => {
        const found = await tokens.find(hashes);
        queries += 1;
        if (queries > 1) return found;
        const arrived = once(wire, 'arrived');
        wire.emit('read', found.has(hashSecret(secret)));
        await arrived;
        return found;
      };
      const revocations = overheard(here);
      const { heard } = revocations;
      const verifier = createTokenVerifier({ findTokens, revocations, log: world.log });
      await once(heard, 'gap');
      const read = once(wire, 'read');
      const early = verifier.verify(secret, '192.0.2.1');
      expect(await read).to.deep.equal([true]);
      const revoked = once(heard, 'revoked');
      await tokens.revoke(token?.id ?? '');
      await elsewhere.announce(token?.id ?? '');
      await revoked;
      const late = verifier.verify(secret, '192.0.2.1');
      wire.emit('arrived');
      expect(await Promise.all([early, late])).to.deep.equal(['unknown', 'unknown']);
    });
  });
