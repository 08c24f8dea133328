import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import url from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { HttpProblem } from '#base/http';
import { normaliseTarget, readingsOf } from '../../../../packages/base/http/requests/target.ts';

/** As Node reads it from the wire, and in its normal form. */
const NORMAL: readonly (readonly [target: string, normal: string])[] = [
  ['/', '/'],
  ['/edge/metrics', '/edge/metrics'],
  ['/edge/metrics/', '/edge/metrics/'],
  ['/EDGE/Metrics', '/EDGE/Metrics'],
  ['//edge/metrics', '/edge/metrics'],
  ['///edge///metrics//', '/edge/metrics/'],
  ['/edge/m%65trics', '/edge/metrics'],
  ['/x/../edge/./metrics', '/edge/metrics'],
  ['/%2e%2E/edge/metrics', '/edge/metrics'],
  ['/../../edge/metrics', '/edge/metrics'],
  ['/a/b/..', '/a/'],
  ['/a/.', '/a/'],
  ['/a/.b/..', '/a/'],
  ['/a/.b/./../../%2ec/%2e%2e/d', '/d'],
  ['/a..b/.well-known/...', '/a..b/.well-known/...'],
  ['/%7euser', '/~user'],
  ['/features/a%2fb', '/features/a%2Fb'],
  ['/features/a%5cb%20c%25', '/features/a%5Cb%20c%25'],
  ['/features/gr%c3%b6%C3%9Fe', '/features/gr%C3%B6%C3%9Fe'],
  [Buffer.from('/features/größe').toString('latin1'), '/features/gr%C3%B6%C3%9Fe'],
  ['/features/"<a>"', '/features/%22%3Ca%3E%22'],
  ['/a?x=%2e%2e//..\\#%', '/a?x=%2e%2e//..\\#%'],
  ['//a?b?c', '/a?b?c'],
  ['http://other.example/edge/metrics', '/edge/metrics'],
  ['HTTPS://other.example:443//edge/./metrics?a', '/edge/metrics?a'],
  ['http://other.example', '/'],
  ['http://other.example?a', '/?a'],
];

const AMBIGUOUS = [
  '',
  '*',
  'edge/metrics',
  'ftp://other.example/',
  'http://user@other.example/',
  'http:///edge',
  '/\\edge/metrics',
  '/edge\\metrics',
  '/edge/metrics#x',
  '/#',
  '/100%',
  '/%4',
  '/%zz',
  '/%u0041',
  '/%ff',
  '/%c0%af',
  '/%ed%a0%80',
  '/gr\u00f6\u00dfe',
  '/a\tb',
  '/a?b\fc',
  '/a\x7f',
  '/a//../b',
  '/a//%2e%2e/b',
];

/** Paths that a server might read as a path of ours, or as one above the first segment. */
const HIDING = [
  '/%2fa/b',
  '/%5c%5ca/b',
  '/a%2f..%2fb',
  '/a%3fb%2f..',
  '/..%2fa',
  '/..%5ca',
  '/a%2f..',
  '/%252e%252e%252fa',
  '/%25252e%25252e/a',
  '/a%2f.%3f',
  '/a%00b',
  '/a%0a',
  '/%7f',
  '/a%2500b',
  '/%2525252525',
];

describe('the target of a request', () => {
  for (const [target, normal] of NORMAL)
    it(`${target} is normalised to ${normal}`, () => expect(normalised(target)).to.equal(normal));

  for (const target of AMBIGUOUS)
    it(`'${target}' gets 400`, () => expect(normalised(target)).to.equal(undefined));

  it('names the host, if it is a whole URL', () => {
    const request = aRequest('http://other.example:81/edge/metrics', { host: 'test' });
    normaliseTarget(request);
    expect(request.headers.host).to.equal('other.example:81');
  });

  for (const path of HIDING)
    it(`${path} gets 400 before it is passed`, () => {
      expect(normalised(path)).to.equal(path.replaceAll(/%[\da-f]{2}/g, (octet) => octet.toUpperCase()));
      expect(() => readingsOf(normalised(path) ?? '')).to.throw(HttpProblem);
    });

  it('may hold encoded slashes and percent signs in names', () => {
    expect(readingsOf('/projects/default/features/a%2Fb')).to.deep.equal(['/projects/default/features/a/b']);
    expect(readingsOf('/features/100%25')).to.deep.equal(['/features/100%']);
    expect(readingsOf('/features/gr%C3%B6%C3%9Fe')).to.deep.equal(['/features/größe']);
    expect(readingsOf('/internal-backstage%3Fa%2F%20')).to.deep.equal(['/internal-backstage']);
    expect(readingsOf('/internal-backstage%C2%A0')).to.deep.equal(['/internal-backstage']);
  });

  it('has one normal form', () => {
    fc.assert(
      fc.property(targets(), (target) => {
        const normal = normalised(target);
        if (normal !== undefined) expect(normalised(normal)).to.equal(normal);
      }),
      { numRuns: 2000 },
    );
  });

  it('has the same form on the short way of plain targets', () => {
    fc.assert(
      fc.property(targets(), (target) => {
        const normal = normalised(target);
        if (normal !== undefined) expect(normalised(`/.${normal}`)).to.equal(normal);
      }),
      { numRuns: 2000 },
    );
  });

  it('is read by no server as a protected path unless we read it so', () => {
    fc.assert(
      fc.property(targets(), fc.array(fc.constantFrom(...STEPS), { maxLength: 4 }), (target, steps) => {
        const path = normalised(target)?.replace(/\?.*/s, '');
        if (path === undefined || isProtected(path) || !isPassed(path)) return;
        const read = steps.reduce((text, step) => step(text), path);
        expect(isProtected(read), `${path} as ${read}`).to.equal(false);
      }),
      { numRuns: 5000 },
    );
  });
});

/** What servers do with a path: Express, its static files, proxies in front of it. */
const STEPS: readonly ((path: string) => string)[] = [
  decode,
  (path) => posix.normalize(path),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replaceAll(/\/+/g, '/'),
  readByExpress,
  (path) => (URL.canParse(path, 'http://host') ? new URL(path, 'http://host').pathname : ''),
  (path) => path.replace(/[?#].*/s, ''),
];

/** Node 24 warns of what Express uses. */
function readByExpress(path: string): string {
  process.noDeprecation = true;
  try {
    return url.parse(path).pathname ?? ''; // oxlint-disable-line no-deprecated
  } finally {
    process.noDeprecation = false;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isProtected(path: string): boolean {
  return /^\/secret(\/|$)/i.test(path);
}

function isPassed(path: string): boolean {
  try {
    return !readingsOf(path).some(isProtected);
  } catch {
    return false;
  }
}

/** Pieces of a path that servers read differently. */
function targets(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    'secret',
    'SECRET',
    '%73ecret',
    '%2573ecret',
    's%65cret',
    'a',
    'x',
    ';a',
    '?',
    '%3f',
    '%23',
    '#',
    '/',
    '/',
    '//',
    '%2f',
    '%2F',
    '%252f',
    '\\',
    '%5c',
    '%255C',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '%252e',
    '%00',
    '%20',
    '%25',
    '%',
    '%c3%bc',
    '%ff',
    '\u00e9',
    '@',
    'http://host',
  );
  const any = fc.array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string({ maxLength: 3 })), {
    maxLength: 9,
  });
  return any.map((pieces) => `/${pieces.join('')}`);
}

function normalised(target: string): string | undefined {
  const request = aRequest(target);
  try {
    normaliseTarget(request);
    return request.url;
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    expect(error.status).to.equal(400);
    return undefined;
  }
}

function aRequest(url: string, headers: IncomingHttpHeaders = {}): Pick<IncomingMessage, 'url' | 'headers'> {
  return { url, headers };
}
