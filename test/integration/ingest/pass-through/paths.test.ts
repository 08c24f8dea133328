import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { wireHead, wireRequest } from '../../../support/stack/engines/kafka/wire.ts';
import { type RawAnswer, openRawConnection } from '../../../support/requests/raw-http.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { type Front, createFront } from './front.ts';

/** Spellings of `/edge/metrics`. */
const METRICS = [
  '//edge/metrics',
  '/edge//metrics',
  '/edge/m%65trics',
  '/%65%64ge/metrics/',
  '/./edge/metrics',
  '/x/../edge/metrics',
  '/%2e/edge/metrics',
  'http://other.example//edge/metrics',
  '//edge/metrics?a=b',
];

const OF_OPERATORS = '/internal-backstage/prometheus';
/** Spellings of a path that must not reach Unleash, with the status of the answer. */
const HIDDEN: readonly (readonly [target: string, status: number])[] = [
  [`/${OF_OPERATORS}`, 200],
  [`/x/..${OF_OPERATORS}`, 200],
  [`/.${OF_OPERATORS}`, 200],
  [`/x/.y/../..${OF_OPERATORS}`, 200],
  ['/%69nternal-backstage/prometheus', 200],
  ['/%2e%2e/internal-backstage/prometheus', 200],
  ['//internal-backstage//impact/metrics', 404],
  ['/x/%2e%2e/INTERNAL-backstage/impact/metrics', 404],
  ['/\\internal-backstage/prometheus', 400],
  ['/internal-backstage%2Fprometheus', 400],
  ['/internal-backstage%5cprometheus', 400],
  ['/internal-backstage%252Fprometheus', 400],
  ['/internal-backstage%3F', 400],
  ['/internal-backstage%20', 400],
  ['/%2finternal-backstage/prometheus', 400],
  ['/%2569nternal-backstage/prometheus', 400],
  ['/x%2f..%2finternal-backstage/prometheus', 400],
  ['/%2e%2e%2finternal-backstage/prometheus', 400],
  ['/x/%252e%252e/internal-backstage/prometheus', 400],
  ['/x//../internal-backstage/prometheus', 400],
  ['/internal-back\tstage/prometheus', 400],
  ['/internal-backstage%00', 400],
  ['/edge/metrics%00', 400],
  ['/api/admin/features/a%0Ab', 400],
  ['/internal-backstage#x', 400],
  ['/edge%2Fmetrics', 400],
  ['/edge/metrics%2f', 400],
  ['/edge/metrics%3Fa=b', 400],
  ['/api%2fclient/metrics/bulk', 400],
  ['/%C0%AFinternal-backstage/prometheus', 400],
  ['/100%', 400],
  ['/a?b\tc', 400],
];

/** Targets, and what reaches Unleash. */
const PASSED: readonly (readonly [target: string, passed: string])[] = [
  ['//api//client/features', '/api/client/features'],
  ['/api/client/./x/../features/', '/api/client/features/'],
  ['/API/client/Features', '/API/client/Features'],
  ['/api/client/%66eatures?namePrefix=%66//..', '/api/client/features?namePrefix=%66//..'],
  ['/api/admin/projects/default/features/a%2fb', '/api/admin/projects/default/features/a%2Fb'],
  ['/api/admin/features/a%20b%25c%5Cd', '/api/admin/features/a%20b%25c%5Cd'],
  ['/api/admin/features/%E2%82%AC', '/api/admin/features/%E2%82%AC'],
  ['/api/admin/features/internal-backstage', '/api/admin/features/internal-backstage'],
  ['/internal-backstage-x', '/internal-backstage-x'],
  ['http://other.example:81/api/client/features?x', '/api/client/features?x'],
  ['https://other.example', '/'],
];

describe('the path of a request', () => {
  let upstream: RawUpstream;
  let front: Service;
  let dispose: Front['dispose'];
  before(async () => {
    ({ upstream, front, dispose } = await createFront());
  });
  after(() => dispose());

  async function send(bytes: string): Promise<RawAnswer> {
    const connection = await openRawConnection(front.url);
    await connection.write(bytes);
    const answer = await connection.answer();
    connection.cut();
    return answer;
  }
  const get = (target: string) => send(`GET ${target} HTTP/1.1\r\nHost: test\r\n\r\n`);

  for (const target of METRICS) {
    it(`is that of metrics: ${target}`, async () => {
      const before = upstream.arrivals.length;
      const { status } = await send(wireRequest().replace('/edge/metrics', target));
      expect([status, upstream.arrivals.length]).to.deep.equal([202, before]);
    });
  }

  for (const [target, status] of HIDDEN) {
    it(`does not reach Unleash: ${JSON.stringify(target)} gets ${status}`, async () => {
      const before = upstream.arrivals.length;
      expect((await get(target)).status).to.equal(status);
      expect(upstream.arrivals.slice(before).map(({ url }) => url)).to.deep.equal([]);
    });
  }

  for (const [target, passed] of PASSED) {
    it(`reaches Unleash as ${passed}: ${target}`, async () => {
      expect(await get(target)).to.include({ status: 200, body: 'from upstream' });
      expect(upstream.arrivals.at(-1)?.url).to.equal(passed);
    });
  }

  it('gets a 400 that says what is ambiguous', async () => {
    const { body } = await send(wireHead({}, 'POST /edge/metrics%zz HTTP/1.1'));
    expect(JSON.parse(body)).to.deep.include({
      name: 'ValidationError',
      message: 'The path of the request is ambiguous.',
      details: [{ path: '', message: 'the path must be UTF-8 with valid percent encodings' }],
    });
  });
});
