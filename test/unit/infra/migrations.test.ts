import { readdirSync } from 'node:fs';
import { expect } from 'chai';

describe('the migrations', () => {
  for (const engine of ['clickhouse', 'postgres'])
    it(`of ${engine} have each number once, without a gap`, () => {
      const files = readdirSync(`infra/migrations/${engine}`).filter((name) => name.endsWith('.sql'));
      const numbers = files.map((name) => Number(name.slice(0, 4))).sort((a, b) => a - b);

      expect(numbers).to.deep.equal(Array.from(numbers, (_, index) => index + 1));
      expect(numbers).to.not.have.length(0);
    });
});
