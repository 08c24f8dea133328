import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const FILES = ['packages', 'services']
  .flatMap((part) =>
    readdirSync(path.join(ROOT, part), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(ROOT, part, name),
    ),
  )
  .filter((file) => file.endsWith('.ts') && /^export const \w+Schema = /m.test(readFileSync(file, 'utf8')));
const MODULES = await Promise.all(FILES.map(async (file) => (await import(file)) as Record<string, unknown>));
const SCHEMAS = MODULES.flatMap((module) =>
  Object.entries(module).flatMap(([name, value]) =>
    name.endsWith('Schema') && typeof value === 'object' && value !== null ? [[name, value] as const] : [],
  ),
);

/** Processes do not validate their schemas, because that would slow down each start. */
describe('a schema', () => {
  it('is one of many', () => {
    expect(SCHEMAS.length).to.be.greaterThan(20);
  });

  for (const [name, schema] of SCHEMAS) {
    it(`is valid: ${name}`, () => {
      const ajv = new Ajv();
      expect(ajv.validateSchema(schema), ajv.errorsText()).to.equal(true);
    });
  }
});
