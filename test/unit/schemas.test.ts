import { Ajv } from 'ajv';
import { expect } from 'chai';
import * as contract from '#contract';
import * as domain from '#domain';
import { configSchema } from '../../packages/runtime/config-schema.ts';

const SCHEMAS: [string, object][] = [
  ['configSchema', configSchema],
  ...[...Object.entries(contract), ...Object.entries(domain)].flatMap(([name, value]) =>
    name.endsWith('Schema') && typeof value === 'object' ? [[name, value] as [string, object]] : [],
  ),
];

/** Processes take their schemas for valid, because each start would pay for looking. */
describe('a schema', () => {
  it('is among many', () => {
    expect(SCHEMAS.length).to.be.greaterThan(20);
  });

  for (const [name, schema] of SCHEMAS) {
    it(`is valid: ${name}`, () => {
      const ajv = new Ajv();
      expect(ajv.validateSchema(schema), ajv.errorsText()).to.equal(true);
    });
  }
});
