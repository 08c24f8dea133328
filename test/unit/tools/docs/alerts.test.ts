import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';

type Rule = { readonly alert: string; readonly annotations: Readonly<Record<string, string>> };

const { groups } = parse(readFileSync('infra/prometheus/alerts.yml', 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const tests = readFileSync('infra/prometheus/alerts.test.yml', 'utf8');
const headings = [...readFileSync('docs/operate/watch/runbook.md', 'utf8').matchAll(/^## (\w+)$/gm)].map(
  ([, name]) => name,
);

describe('the alert rules', () => {
  for (const { alert, annotations } of rules)
    it(`link to a section of the runbook: ${alert}`, () => {
      expect(annotations['runbook']).to.equal(`docs/operate/watch/runbook.md#${alert.toLowerCase()}`);
      expect(headings).to.include(alert);
    });

  for (const { alert } of rules)
    it(`have a test for promtool: ${alert}`, () => {
      expect(tests).to.include(`ALERTS{alertname="${alert}", alertstate="firing",`);
    });

  it('are all that the runbook describes', () => {
    expect(headings).to.have.members(rules.map(({ alert }) => alert));
  });
});
