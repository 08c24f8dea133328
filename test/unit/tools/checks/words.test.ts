import { expect } from 'chai';
import { contradictions } from '../../../../tools/checks/words.ts';

const GLOSSARY = {
  path: 'docs/glossary.md',
  text: `- **block**: messages
- **rejected body**: a body

| not | but |
|---|---|
| \`stored_parts\`, \`type Lane\` | being stored |`,
};
const found = (path: string, text: string, ...others: { path: string; text: string }[]) =>
  contradictions(GLOSSARY, [GLOSSARY, { path, text }, ...others]);

describe('the words of the glossary', () => {
  it('exclude what it rules out, in code and in documents', () => {
    expect(found('infra/a.sql', 'select stored_parts from t')).to.deep.equal([
      'infra/a.sql has "stored_parts", see the glossary',
    ]);
    expect(found('services/a/b.ts', 'type Lane = string;')).to.deep.equal([
      'services/a/b.ts has "type Lane", see the glossary',
    ]);
  });

  it('allow words that only contain these', () => {
    expect(
      found('services/a/b.ts', 'type Lanes = Lane[]; const restored_parts = 1; // stored_parts-like'),
    ).to.deep.equal([]);
  });

  it('name one type of the product each', () => {
    const other = { path: 'packages/core/b.ts', text: 'export class RejectedBody {}' };
    expect(found('services/a.ts', 'type RejectedBody = string;', other)).to.deep.equal([
      'RejectedBody is a term of the glossary, and types of 2 files: services/a.ts, packages/core/b.ts',
    ]);
    expect(found('services/a.ts', 'type Body = string;', other)).to.deep.equal([]);
    expect(found('services/console/types.ts', 'type RejectedBody = string;', other)).to.deep.equal([]);
    expect(found('tools/a.ts', 'type RejectedBody = string;', other)).to.deep.equal([]);
  });
});
