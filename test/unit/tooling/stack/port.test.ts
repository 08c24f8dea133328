import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { expect } from 'chai';
import { choosePort } from '../../../../packages/tooling/stack/serving/port.ts';

describe('the port of make start', () => {
  let server: Server;
  let taken: number;
  before(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    taken = (server.address() as AddressInfo).port; // an address is a string for pipes only
  });
  after(() => server.close());

  for (const name of ['PORT', 'OPS_PORT'])
    it(`is rejected if it is taken, with the name of the setting: ${name}`, async () => {
      const problem = await problemOf({ PORT: '0', [name]: String(taken) });
      expect(problem)
        .to.include(`Port ${taken} is taken`)
        .and.include(` ${name}=${taken + 1}.`);
    });

  it('is rejected if it is no port', async () => {
    expect(await problemOf({ PORT: '70000' })).to.equal('PORT must be a port from 0 to 65535, not "70000".');
  });

  it('is any free one for 0', async () => {
    expect(await choosePort({ PORT: '0' })).to.be.within(1, 65_535);
  });
});

async function problemOf(env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return `it chose ${await choosePort(env)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
