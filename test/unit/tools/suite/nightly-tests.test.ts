import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

describe('the tests that make test leaves out', () => {
  it('leave another test in each place that an invariant of ARCHITECTURE.md names', () => {
    const places = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/`(test\/[a-z/-]+)`/g)].map(
      ([, place = '']) => place,
    );
    expect(places).to.have.length.above(15);
    expect(places.filter((place) => !isTestedByDay(place))).to.deep.equal([]);
  });
});

/** Whether the test file with this path, or any file in this folder, has a test that is not only for the night. */
function isTestedByDay(place: string): boolean {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((file) =>
    path.join('test', file),
  );
  return files.some(
    (file) =>
      file.endsWith('.ts') &&
      (file === `${place}.test.ts` || file.startsWith(`${place}/`)) &&
      /(?<!describeNightly[^]*)\bit\(/.test(readFileSync(file, 'utf8')),
  );
}
