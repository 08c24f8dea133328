import { expect } from 'chai';
import { type FindTokens, type RevocationListener, createTokenVerifier, createTokens } from '#base/auth';
import { openPostgres } from '#base/postgres';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { type TcpProxy, startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN } from '../../../support/world.ts';

/** Twenty requests take less, however busy this machine is. */
const FAILS_AFTER_MS = 10_000;

describe('a known token while Postgres is frozen', () => {
  const world = sharedUncountedWorld();
  let wire: TcpProxy;
  before(async () => {
    wire = await startTcpProxy(() => Number(new URL(world.config.postgres.url).port));
  });
  after(async () => {
    await world.dispose();
    await wire.close();
  });

  it('is accepted before its look-up has failed, while an unknown one must wait', async () => {
    const { log, lines } = collectLog();
    const options = { ...world.config.postgres, url: throughWire(), log, statementTimeoutMs: FAILS_AFTER_MS };
    const db = openPostgres({ ...options, connectTimeoutMs: FAILS_AFTER_MS });
    const revocations = {
      subscribe(listener: RevocationListener): void {
        listener.onGap(); // connected
      },
    };
    const tokens = createTokens(db);
    const findTokens: FindTokens = (hashes) => tokens.find(hashes);
    const verifier = createTokenVerifier({ findTokens, revocations, log, freshMs: 0 });
    const failures = () => lines().filter(({ msg }) => msg === 'token not looked up').length;
    expect(await verifier.verify(CLIENT_TOKEN, '192.0.2.1')).to.have.property('token');
    wire.swallowAnswers();
    const seen: unknown[] = [];
    for (let request = 0; request < 20; request += 1) {
      const verification = await verifier.verify(CLIENT_TOKEN, '192.0.2.1');
      seen.push([typeof verification === 'object', failures()]);
    }
    const unknown = await verifier.verify('*:production.unknown', '192.0.2.1');
    await eventually(
      () => Promise.resolve(failures()),
      (count) => count > 0,
    );
    await db.end();

    expect(seen).to.deep.equal(Array(20).fill([true, 0]));
    expect(unknown).to.equal('unavailable');
  });

  function throughWire(): string {
    const url = new URL(world.config.postgres.url);
    url.port = String(wire.port);
    return url.toString();
  }
});
