import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createFindAddresses } from '../../../services/admin/advice/webhooks/index.ts';
import { type PostOptions, post } from '../../../services/admin/advice/webhooks/sending/post.ts';
import { type Certificates, createCertificates } from '../../support/servers/certificates.ts';
import { type NameServer, type Zone, startNameServer } from '../../support/servers/receivers/name-server.ts';
import { type Receiver, startReceiver } from '../../support/servers/receivers/receiver.ts';

const NAME = 'receiver.test';
const PRIVATE = 'The address leads into a private network.';

/** What a receiver of webhooks, or the owner of its name, can try against us. */
describe('a hostile receiver of notifications', () => {
  let certificates: Certificates;
  let receiver: Receiver;
  let ca: string;
  let names: NameServer | undefined;
  before(async () => {
    certificates = await createCertificates();
    receiver = await startReceiver(
      await certificates.sign('receiver', `subjectAltName=DNS:${NAME},IP:127.0.0.1\n`),
    );
    ca = await readFile(certificates.authority, 'utf8');
  });
  afterEach(() => {
    names?.close();
    names = undefined;
    receiver.answer((response) => response.writeHead(204).end());
  });
  after(async () => {
    await receiver.close();
    await certificates.dispose();
  });

  async function send(url: string, options: Partial<PostOptions> = {}): Promise<string | undefined> {
    const find = createFindAddresses(names === undefined ? [] : [names.address]);
    return post({ url, headers: {}, body: '{}' }, { find, ca, mayLoopBack: true, ...options });
  }

  async function resolved(zone: Zone): Promise<NameServer> {
    names = await startNameServer(zone);
    return names;
  }

  const urlOfName = (): string => `https://${NAME}:${receiver.port}/hook`;

  it('cannot change its address between the check and the connection', async () => {
    const { questions } = await resolved((_name, turn) => (turn === 0 ? ['127.0.0.1'] : ['10.0.0.1']));
    const before = receiver.received.length;
    expect(await send(urlOfName())).to.equal(undefined);
    expect(receiver.received).to.have.length(before + 1);
    expect([...questions].sort()).to.deep.equal([`A ${NAME}`, `AAAA ${NAME}`]);
  });

  for (const addresses of [
    ['127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    ['::ffff:a9fe:a9fe'],
    ['93.184.215.14', '10.0.0.1'],
    ['fd00:ec2::254'],
  ])
    it(`is not connected to if its name leads to ${addresses.join(' and ')}`, async () => {
      await resolved(() => addresses);
      const before = receiver.connections();
      expect(await send(urlOfName(), { mayLoopBack: false })).to.equal(PRIVATE);
      expect(receiver.connections()).to.equal(before);
    });

  for (const host of ['2130706433', '0177.0.0.1', '0x7f000001', '127.1', '[::ffff:127.0.0.1]', 'localhost'])
    it(`is not connected to as ${host}`, async () => {
      const before = receiver.connections();
      expect(await send(`https://${host}:${receiver.port}/hook`, { mayLoopBack: false })).to.match(
        /private network/,
      );
      expect(receiver.connections()).to.equal(before);
    });

  for (const status of [301, 302, 307, 308])
    it(`cannot redirect us with ${status}`, async () => {
      const elsewhere = await startReceiver(certificates.server);
      receiver.answer((response) => response.writeHead(status, { location: elsewhere.url }).end());
      expect(await send(receiver.url)).to.equal(
        `The receiver answered ${status}, and redirects are not followed.`,
      );
      expect(elsewhere.connections()).to.equal(0);
      await elsewhere.close();
    });

  it('cannot keep us longer than the deadline, by no answer', async () => {
    receiver.answer(() => undefined);
    expect(await send(receiver.url, { timeoutMs: 300 })).to.equal('The receiver did not answer in time.');
  });

  it('cannot keep us longer than the deadline, by a name server that does not answer', async () => {
    const find = (): Promise<never> => new Promise(() => undefined);
    expect(await send(urlOfName(), { find, timeoutMs: 300 })).to.equal(
      'The receiver did not answer in time.',
    );
  });

  it('cannot keep us busy by an answer without end', async () => {
    let sent = 0;
    receiver.answer((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) sent += 1;
      };
      response.on('drain', more);
      more();
    });
    expect(await send(receiver.url, { timeoutMs: 60_000 })).to.equal(undefined);
    expect(sent * 16).to.be.below(16 * 1024);
  });

  it('cannot keep us busy by an answer that drips', async () => {
    receiver.answer((response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    });
    // Its status must arrive before.
    expect(await send(receiver.url, { timeoutMs: 5000 })).to.equal(undefined);
  });

  it('is not believed without a certificate of a known authority, or for another name', async () => {
    expect(await send(receiver.url, { ca: await readFile(certificates.strangerAuthority, 'utf8') })).to.match(
      /certificate is not trusted/,
    );
    await resolved(() => ['127.0.0.1']);
    expect(await send(`https://other.test:${receiver.port}/`)).to.match(/certificate is for another name/);
  });

  it('learns no address of ours from a problem', async () => {
    const closed = await startReceiver(certificates.server);
    await closed.close();
    expect(await send(closed.url)).to.equal('The address cannot be reached: the connection was refused.');
  });
});
