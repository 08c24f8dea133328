import { expect } from 'chai';
import { sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { itNightly } from '../../../../support/nightly.ts';
import { lintWithRedocly, lintWithSpectral } from './linters.ts';

describe('the OpenAPI document for generators', () => {
  const world = sharedAdminWorld();

  it('has no findings of Redocly', async () => {
    expect(await lintWithRedocly(world.api.document)).to.deep.equal([]);
  });

  itNightly('has no findings of Spectral', async () => {
    expect(await lintWithSpectral(world.api.document)).to.deep.equal([]);
  });

  it('names every object schema', () => {
    const { paths, components } = world.api.document;
    expect(Object.keys(components.schemas)).to.include.members([
      'ChangeRequest',
      'Error',
      'Event',
      'Feature',
      'Feedback',
      'Strategy',
    ]);
    const parts = [paths, components.responses, ...Object.values(components.schemas)];
    expect(parts.flatMap(unnamedWithin)).to.deep.equal([]);
  });
});

/** Schemas with properties, except conditions, which belong to the surrounding schema. */
function unnamedWithin(value: object): object[] {
  return Object.entries(value).flatMap(([keyword, part]: [string, unknown]) => {
    if (typeof part !== 'object' || part === null || keyword === 'if' || keyword === 'then') return [];
    const isUnnamed = 'type' in part && part.type === 'object' && 'properties' in part;
    return [...(isUnnamed ? [part] : []), ...unnamedWithin(part)];
  });
}
