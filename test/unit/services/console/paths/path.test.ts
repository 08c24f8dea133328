import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { pathTo } from '../../../../../services/console/state/paths/path.ts';
import { problemOfStep } from '../../../../../services/console/api/requests/problem.ts';

const CONSOLE = 'services/console';
const PAGE = 'https://flags.example.com/console/';

describe('a path of the console', () => {
  it('leads, whatever the name in it, to the path that it says or nowhere', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('.', '..', '', '%2e%2e', '.%2E', '../..', '..\\', '?', '#', '..\t', '\u202e'),
    );
    fc.assert(
      fc.property(name, fc.string({ unit: 'grapheme' }), (given, value) => {
        const place = pathTo`api/admin/projects/${given}`;
        const path = pathTo`${place}/on?${new URLSearchParams({ value })}`;
        if (path.step !== undefined) {
          expect(['.', '..', '']).to.include(given);
          return;
        }
        const { pathname, searchParams, hash } = new URL(path.text, PAGE);
        const [, , , , , inPath = '', end] = pathname.split('/');
        expect([decodeURIComponent(inPath), end, searchParams.get('value'), hash]).to.deep.equal([
          given,
          'on',
          value,
          '',
        ]);
      }),
    );
  });

  it('is not sent if a browser would take a name in it for a step, and says why', () => {
    for (const name of ['.', '..', ''])
      expect(pathTo`api/${pathTo`features/${name}`}/on`.step).to.equal(name);
    expect(problemOfStep('..')).to.include({ status: 404, isTemporary: false });
    expect(problemOfStep('..').message).to.include(' .. ');
  });

  it('is what everything sends that asks the server', () => {
    const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tsx?$/.test(file),
    );
    const asking = files.filter((file) =>
      /\bfetch\(|XMLHttpRequest|EventSource\(|sendBeacon/.test(readFileSync(`${CONSOLE}/${file}`, 'utf8')),
    );
    expect(asking.sort()).to.deep.equal(['api/requests/client.ts']);
  });
});
