import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { configSchema } from '#base/runtime';

describe('docs/operate/settings.md', () => {
  it('lists every setting with its default', () => {
    const [, listed = ''] = /<!-- settings:.*?-->\n([^]*?)<!-- \/settings -->/.exec(
      readFileSync('docs/operate/settings.md', 'utf8'),
    ) ?? ['', ''];
    expect(listed).to.equal(settingsTable());
  });
});

function settingsTable(): string {
  const required: readonly string[] = configSchema.required;
  const rows = Object.entries(configSchema.properties).map(([name, property]) => {
    const fallback = 'default' in property ? String(property.default) || 'empty' : '';
    const bounds = property.type === 'integer' ? `${property.minimum} to ${property.maximum}` : '';
    return `| \`${name}\` | ${property.description} | ${required.includes(name) ? 'required' : fallback} | ${bounds} |\n`;
  });
  return `| variable | meaning | default | bounds |\n|---|---|---|---|\n${rows.join('')}`;
}
