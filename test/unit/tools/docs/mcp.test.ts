import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { READING_TOOLS, WRITING_TOOLS } from '../../../../packages/tooling/mcp/tools/declarations.ts';

const text = readFileSync('docs/use/mcp.md', 'utf8');
const [, reading = '', writing = ''] = text.split(/\n## Tools[\w ]*\n/);

/** The tools of a table and their operations. */
function toolsIn(section: string): string[] {
  return [...section.matchAll(/^\| `(\w+)` \|.*\| `(\w+)` \|$/gm)].map(
    ([, tool = '', operation = '']) => `${tool}: ${operation}`,
  );
}

describe('the tools for agents in the documents', () => {
  it('are those of the code, in the same order', () => {
    const declared = (tools: typeof READING_TOOLS) =>
      tools.map(({ name, operation }) => `${name}: ${operation}`);
    expect(toolsIn(reading)).to.deep.equal(declared(READING_TOOLS));
    expect(toolsIn(writing)).to.deep.equal(declared(WRITING_TOOLS));
  });
});
